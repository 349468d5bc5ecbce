import { join } from "node:path";
import type { Conditions } from "../../base/conditions.ts";
import type { Config } from "../../base/config/config.ts";
import { createSealing, type Sealing } from "../../base/secrets/sealing.ts";
import { hasSecret, newToken, readOrCreateSecret, sha256 } from "../../base/secrets/secrets.ts";
import type { Db, Embedded, Relational } from "../relational.ts";
import { countUnreadable, readEnvelopes } from "../sealed-credentials.ts";

export const ENCRYPTION_KEY = "encryption-key";
export const AUTH_SECRET = "auth-secret";

const KEY_MEND =
  "Restore it from a backup. To go on without it, set SVC_ENCRYPTION_KEY to a new key of at least 32 characters, start the service, and enter the credentials again.";

export const storedCredentials = (count: number): string =>
  count === 1 ? "1 stored credential" : `${count} stored credentials`;

/**
 * Opens the encryption of stored credentials. Throws if the key file of the data folder is missing or cannot decrypt the stored
 * credentials. If a key from the settings cannot decrypt them, only reports a condition.
 */
export async function openSealing(
  { dataDir, encryptionKey }: Config,
  { db }: Relational,
  conditions: Conditions,
): Promise<Sealing> {
  const file = join(dataDir, ENCRYPTION_KEY);
  const envelopes = await readEnvelopes(db);
  if (encryptionKey === undefined && !hasSecret(dataDir, ENCRYPTION_KEY)) {
    const stored = countUnreadable(envelopes, createSealing(newToken()));
    if (stored > 0) throw new Error(`The file ${file} is missing: it opens ${storedCredentials(stored)}. ${KEY_MEND}`);
  }
  const sealing = createSealing(readOrCreateSecret(dataDir, ENCRYPTION_KEY, encryptionKey));
  const unreadable = countUnreadable(envelopes, sealing);
  if (unreadable === 0) return sealing;
  if (encryptionKey === undefined) {
    throw new Error(
      `The file ${file} is damaged or was replaced: it does not open ${storedCredentials(unreadable)}. ${KEY_MEND}`,
    );
  }
  conditions.report({
    code: "encryption_key_missing",
    message: `No key in SVC_ENCRYPTION_KEY opens ${storedCredentials(unreadable)}.`,
    remedy:
      "Add the former key to SVC_ENCRYPTION_KEY after the newest one, or enter the credentials again; then restart.",
  });
  return sealing;
}

/** Returns the secret that signs sessions. Throws if the secret of the data folder differs from its secret at the last start. */
export async function readAuthSecret({ dataDir, authSecret }: Config, { db }: Relational): Promise<string> {
  const isNew = !hasSecret(dataDir, AUTH_SECRET);
  const secret = readOrCreateSecret(dataDir, AUTH_SECRET, authSecret);
  if (authSecret !== undefined) return secret;
  const digest = sha256(secret);
  const stored = db.selectFrom("secret_digests").select("sha256").where("name", "=", AUTH_SECRET);
  const known = (await stored.executeTakeFirst())?.sha256;
  if (!isNew && known !== undefined && known !== digest) {
    throw new Error(
      `The file ${join(dataDir, AUTH_SECRET)} is damaged or was replaced: it does not verify the present sessions. Restore it from a backup, or remove it to create a new one; then people must sign in again.`,
    );
  }
  if (known === digest) return secret;
  await rememberAuthSecret(db, secret);
  return secret;
}

/** Stores the digest of the secret that signs sessions, so that the next start notices when the data folder has another secret. */
export async function rememberAuthSecret(db: Db, secret: string): Promise<void> {
  const digest = sha256(secret);
  await db
    .insertInto("secret_digests")
    .values({ name: AUTH_SECRET, sha256: digest })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ sha256: digest }))
    .execute();
}

/**
 * Returns whether the secret is the one of the last start. Also returns true if the database has no digest of the secret, because older
 * versions did not write a digest.
 */
export function isKnownAuthSecret(engine: Embedded["engine"], secret: string): boolean {
  const hasTable = engine.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'secret_digests'").get() !== undefined;
  if (!hasTable) return true;
  const find = engine.prepare<[string], string>("SELECT sha256 FROM secret_digests WHERE name = ?").pluck();
  const stored = find.get(AUTH_SECRET);
  return stored === undefined || stored === sha256(secret);
}
