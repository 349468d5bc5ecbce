import type { Ground } from "../../ground.ts";
import type { ProviderKeyStore } from "../provider-keys/store.ts";
import { openAccountVoices, type Surroundings } from "./account-voices.ts";
import { createCatalogStore } from "./store.ts";

export function openVoices({ config, db, log }: Ground, keys: ProviderKeyStore, surroundings?: Surroundings) {
  const catalogs = createCatalogStore(db, keys);
  return openAccountVoices({ keys, deploymentKeys: config.providerKeys, catalogs, log }, surroundings);
}
