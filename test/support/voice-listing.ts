import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KEY_PROVIDERS, type KeyProvider } from "@svc/contract";
import type { DeploymentKeys } from "../../packages/server/src/base/config/config.ts";
import type { Log } from "../../packages/server/src/base/log/log.ts";
import { insertOrganization } from "../../packages/server/src/tenancy/organizations/store.ts";
import { decideKey } from "../../packages/server/src/voice/provider-keys/open.ts";
import { createProviderKeyStore } from "../../packages/server/src/voice/provider-keys/store.ts";
import { createSealing } from "../../packages/server/src/base/secrets/sealing.ts";
import type { Relational } from "../../packages/server/src/stores/relational.ts";
import { createSealedCredentials } from "../../packages/server/src/stores/sealed-credentials.ts";
import {
  type AccountVoices,
  openAccountVoices,
  type VoiceOverrides,
} from "../../packages/server/src/voice/voices/account-voices.ts";
import { createCatalogStore } from "../../packages/server/src/voice/voices/store.ts";
import { openStoreOf } from "./engine.ts";
import type { Provider } from "./voice-providers.ts";

type Options = VoiceOverrides & { deploymentKeys?: DeploymentKeys };

/** Opens real stores in a temporary folder. A spec can open the listing of voices on these stores several times. */
export async function openVoiceListing(sealingKey = "k".repeat(40)) {
  const dataDir = mkdtempSync(join(tmpdir(), "svc-voices-"));
  const { db, close }: Relational = await openStoreOf(dataDir);
  const keys = createProviderKeyStore(db, createSealedCredentials(db, createSealing(sealingKey)));
  const lines: string[] = [];
  const keep = (...line: unknown[]) => void lines.push(JSON.stringify(line));
  const log = { info: keep, warn: keep, error: keep } as unknown as Log;

  return {
    db,
    keys,
    dataDir,
    lines,
    /** Opens the listing without cached voices, as after a start of the service. */
    open: ({ deploymentKeys = {}, ...around }: Options): AccountVoices =>
      openAccountVoices({ keys, deploymentKeys, catalogs: createCatalogStore(db, keys), log }, around),
    organization: async (name = "Acme") => (await insertOrganization(db, name)).id,
    async setKey(organizationId: string, provider: Provider | "openai", apiKey: string): Promise<void> {
      if (provider !== "rime") await keys.set(organizationId, decideKey(provider, whole(provider, apiKey)));
    },
    async close(): Promise<void> {
      await close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Returns the body that sets a key of the provider. A key of polly has two parts, and requests contain only the first part. */
export const whole = (provider: KeyProvider, apiKey: string) => ({
  apiKey: provider === "polly" ? `${apiKey}:a-secret-of-aws` : apiKey,
  ...(KEY_PROVIDERS[provider].regional && { region: "westeurope" }),
});
