import { createCapabilities } from "./look-up.ts";
import { capabilityRoutes } from "./routes.ts";
import type { ListVoices } from "./voice-listing.ts";

export function openCapabilities(listVoices: ListVoices) {
  const capabilities = createCapabilities(listVoices);
  return { ...capabilities, routes: capabilityRoutes(capabilities) };
}
