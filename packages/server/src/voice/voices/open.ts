import type { ServiceContext } from "../../context.ts";
import type { ProviderKeyStore } from "../provider-keys/store.ts";
import { openAccountVoices, type VoiceOverrides } from "./account-voices.ts";
import { createCatalogStore } from "./store.ts";

export function openVoices({ config, db, log }: ServiceContext, keys: ProviderKeyStore, overrides?: VoiceOverrides) {
  const catalogs = createCatalogStore(db, keys);
  return openAccountVoices({ keys, deploymentKeys: config.providerKeys, catalogs, log }, overrides);
}
