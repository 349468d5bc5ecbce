import { type Credentials, openCredentials } from "./access/credentials.ts";
import { createSessions, type Sessions } from "./access/sessions.ts";
import type { Conditions } from "./conditions.ts";
import type { Config } from "./config.ts";
import type { Log } from "./log.ts";
import { openChecksums } from "./stores/checksums.ts";
import { openSealing, readAuthSecret } from "./stores/folder-secrets.ts";
import { type Db, openRelational, type Relational } from "./stores/relational.ts";
import { createSealedCredentials, type SealedCredentials } from "./stores/sealed-credentials.ts";

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
  const serviceUrl = config.baseUrl ?? `http://${config.host}:${config.port}`;
  const relational = openRelational(config.dataDir, openChecksums(config.dataDir, reportUnwritten(conditions)));
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

/** Returns a function that shows whether the store's checksums can be written. */
function reportUnwritten(conditions: Conditions): (error: unknown) => void {
  let isReported = false;
  return (error) => {
    if (error === undefined && isReported) conditions.clear("checksums_unwritten");
    if (error !== undefined && !isReported) {
      conditions.report({
        code: "checksums_unwritten",
        message: "The service cannot write the checksums of the relational store. It loses no data while it runs.",
        mend: "Free space on the disk of the data folder, or repair that disk.",
        error,
      });
    }
    isReported = error !== undefined;
  };
}
