import type { OwnerReset } from "@svc/server";
import { onDataFolder } from "./data-folder.ts";
import { loadService } from "./service-packages.ts";

/** Creates a one-time URL for a new password, on the data folder or the databases in the settings. */
export const resetOwner = (
  settings: Record<string, string | undefined>,
  wanted: { email: string | undefined },
): Promise<OwnerReset> =>
  onDataFolder(async () => (await loadService(() => import("@svc/server"))).resetOwner(settings, wanted));
