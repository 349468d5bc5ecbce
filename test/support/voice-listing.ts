import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KEY_PROVIDERS } from "@svc/contract";
import type { DeploymentKeys } from "../../packages/server/src/config.ts";
import type { Log } from "../../packages/server/src/log.ts";
import { insertOrganization } from "../../packages/server/src/organizations/store.ts";
import { decideKey } from "../../packages/server/src/provider-keys/rules.ts";
import { openProviderKeyStore } from "../../packages/server/src/provider-keys/store.ts";
import { createSealing } from "../../packages/server/src/sealing.ts";
import { openRelational } from "../../packages/server/src/stores/relational.ts";
import { createSealedCredentials } from "../../packages/server/src/stores/sealed-credentials.ts";
import { openAccountVoices, type Surroundings } from "../../packages/server/src/voices/account-voices.ts";
import { openCatalogStore } from "../../packages/server/src/voices/store.ts";
import type { Provider } from "./voice-providers.ts";

type Options = Surroundings & { deploymentKeys?: DeploymentKeys };

/** The real stores in a temporary folder, and the listing of voices on them as often as a spec wants it opened. */
export function openVoiceListing(sealingKey = "k".repeat(40)) {
  const dataDir = mkdtempSync(join(tmpdir(), "svc-voices-"));
  const { db, close } = openRelational(dataDir);
  const keys = openProviderKeyStore(db, createSealedCredentials(db, createSealing(sealingKey)));
  const lines: string[] = [];
  const keep = (...line: unknown[]) => void lines.push(JSON.stringify(line));
  const log = { info: keep, warn: keep, error: keep } as unknown as Log;

  return {
    db,
    keys,
    dataDir,
    lines,
    /** As after a start of the service: nothing in memory. */
    open: ({ deploymentKeys = {}, ...around }: Options): ReturnType<typeof openAccountVoices> =>
      openAccountVoices({ keys, deploymentKeys, catalogs: openCatalogStore(db), log }, around),
    organization: async (name = "Acme") => (await insertOrganization(db, name)).id,
    setKey: (organizationId: string, provider: Provider, apiKey: string) =>
      provider === "rime" ? undefined : keys.set(organizationId, decideKey(provider, whole(provider, apiKey))),
    async close(): Promise<void> {
      await close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** A key as its provider takes it; polly's is a pair, of which the first part is sent. */
export const whole = (provider: Exclude<Provider, "rime">, apiKey: string) => ({
  apiKey: provider === "polly" ? `${apiKey}:a-secret-of-aws` : apiKey,
  ...(KEY_PROVIDERS[provider].regional && { region: "westeurope" }),
});
