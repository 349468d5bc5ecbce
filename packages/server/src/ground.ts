import { join } from "node:path";
import { type Credentials, openCredentials } from "./access/credentials.ts";
import { createSessions, type Sessions } from "./access/sessions.ts";
import type { Conditions } from "./conditions.ts";
import type { Config } from "./config.ts";
import type { Log } from "./log.ts";
import { createSealing, type Sealing } from "./sealing.ts";
import { hasSecret, readOrCreateSecret } from "./secrets.ts";
import { openChecksums } from "./stores/checksums.ts";
import { type Db, openRelational, type Relational } from "./stores/relational.ts";
import { countUnreadable, createSealedCredentials, type SealedCredentials } from "./stores/sealed-credentials.ts";
import { isSameSecret } from "./stores/secret-digests.ts";

const ENCRYPTION_KEY = "encryption-key";
const AUTH_SECRET = "auth-secret";

/** The parts of the service that every feature may use. */
export type Ground = {
  config: Config;
  log: Log;
  conditions: Conditions;
  db: Db;
  relational: Relational;
  sealed: SealedCredentials;
  credentials: Credentials;
  sessions: Sessions;
  /** The public address of the service, as far as the settings say it. */
  serviceUrl: string;
  close: () => Promise<void>;
};

/** Opens the relational store in the data folder, and the secrets and credentials that it holds; refuses damaged ones. */
export function openGround(config: Config, log: Log, conditions: Conditions): Ground {
  const { dataDir } = config;
  const serviceUrl = config.baseUrl ?? `http://${config.host}:${config.port}`;
  const relational = openRelational(dataDir, openChecksums(dataDir, reportUnwritten(conditions)));
  try {
    const sealing = openSealing(config, relational, conditions);
    const secret = readAuthSecret(config, relational);
    const credentials = openCredentials(relational);
    return {
      config,
      log,
      conditions,
      db: relational.db,
      relational,
      sealed: createSealedCredentials(relational.db, sealing),
      credentials,
      sessions: createSessions(relational, { secret, baseUrl: serviceUrl }),
      serviceUrl,
      async close() {
        credentials.close();
        await relational.close();
      },
    };
  } catch (error) {
    void relational.close();
    throw error;
  }
}

/** Refuses an encryption key in the data folder that does not open the stored credentials; reports one from the settings. */
function openSealing({ dataDir, encryptionKey }: Config, relational: Relational, conditions: Conditions): Sealing {
  const sealing = createSealing(readOrCreateSecret(dataDir, ENCRYPTION_KEY, encryptionKey));
  const unreadable = countUnreadable(relational, sealing);
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

function readAuthSecret({ dataDir, authSecret }: Config, relational: Relational): string {
  const isNew = !hasSecret(dataDir, AUTH_SECRET);
  const secret = readOrCreateSecret(dataDir, AUTH_SECRET, authSecret);
  if (authSecret !== undefined || isSameSecret(relational, { name: AUTH_SECRET, secret, isNew })) return secret;
  throw new Error(
    `The file ${join(dataDir, AUTH_SECRET)} is damaged or was replaced: it does not verify the present sessions. Restore it from a backup, or remove it to create a new one; then people must sign in again.`,
  );
}

/** Returns a function that shows whether the store's checksums can be written. */
function reportUnwritten(conditions: Conditions): (error: unknown) => void {
  let isReported = false;
  return (error) => {
    if (error === undefined && isReported) conditions.clear("checksums_unwritten");
    if (error !== undefined && !isReported) {
      conditions.report({
        code: "checksums_unwritten",
        message: "The checksums of the relational store cannot be written; nothing is lost while the service runs.",
        mend: "Free space on the disk of the data folder, or repair that disk.",
        error,
      });
    }
    isReported = error !== undefined;
  };
}
