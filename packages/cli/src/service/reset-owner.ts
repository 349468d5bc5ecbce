import type { OwnerReset } from "@svc/server";
import { onDataFolder } from "./data-folder.ts";
import { loadService } from "./service-packages.ts";

/**
 * Creates the one-time address for a new password of the owner, in the data folder or in the databases that the settings name.
 */
export const resetOwner = (
  settings: Record<string, string | undefined>,
  wanted: { email: string | undefined },
): Promise<OwnerReset> =>
  onDataFolder(async () => (await loadService(() => import("@svc/server"))).resetOwner(settings, wanted));
