import { join } from "node:path";
import type { Conditions } from "../conditions.ts";
import type { Config } from "../config.ts";
import { createSealing, type Sealing } from "../sealing.ts";
import { hasSecret, readOrCreateSecret, sha256 } from "../secrets.ts";
import type { Relational } from "./relational.ts";
import { countUnreadable } from "./sealed-credentials.ts";

export const ENCRYPTION_KEY = "encryption-key";
export const AUTH_SECRET = "auth-secret";

/** Refuses an encryption key in the data folder that does not open the stored credentials; reports one from the settings. */
export function openSealing(
  { dataDir, encryptionKey }: Config,
  { engine }: Relational,
  conditions: Conditions,
): Sealing {
  const sealing = createSealing(readOrCreateSecret(dataDir, ENCRYPTION_KEY, encryptionKey));
  const unreadable = countUnreadable(engine, sealing);
  if (unreadable === 0) return sealing;
  if (encryptionKey === undefined) {
    throw new Error(
      `The file ${join(dataDir, ENCRYPTION_KEY)} is damaged or was replaced: it does not open ${unreadable} stored credentials. Restore it from a backup. To go on without it, set SVC_ENCRYPTION_KEY to a new key and enter the credentials again.`,
    );
  }
  conditions.report({
    code: "encryption_key_missing",
    message: `No key in SVC_ENCRYPTION_KEY opens ${unreadable} stored credentials.`,
    mend: "Add the former key to SVC_ENCRYPTION_KEY after the newest one, or enter the credentials again; then restart.",
  });
  return sealing;
}

/** Returns the secret that signs sessions; refuses one in the data folder that differs from the last start's. */
export function readAuthSecret({ dataDir, authSecret }: Config, { engine, committed }: Relational): string {
  const isNew = !hasSecret(dataDir, AUTH_SECRET);
  const secret = readOrCreateSecret(dataDir, AUTH_SECRET, authSecret);
  if (authSecret !== undefined) return secret;
  const digest = sha256(secret);
  const stored = engine
    .prepare<[string], string>("SELECT sha256 FROM secret_digests WHERE name = ?")
    .pluck()
    .get(AUTH_SECRET);
  if (stored === digest) return secret;
  if (stored !== undefined && !isNew) {
    throw new Error(
      `The file ${join(dataDir, AUTH_SECRET)} is damaged or was replaced: it does not verify the present sessions. Restore it from a backup, or remove it to create a new one; then people must sign in again.`,
    );
  }
  engine.prepare("INSERT OR REPLACE INTO secret_digests (name, sha256) VALUES (?, ?)").run(AUTH_SECRET, digest);
  committed();
  return secret;
}
