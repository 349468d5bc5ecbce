import { type Credentials, openCredentials } from "./access/credentials.ts";
import type { PasswordHash } from "./access/password-hash.ts";
import { openPasswordThreads } from "./access/password-threads.ts";
import { createSessions, type Sessions } from "./access/sessions.ts";
import type { Conditions } from "./base/conditions.ts";
import type { Config } from "./base/config/config.ts";
import type { Log } from "./base/log/log.ts";
import { openChecksums } from "./stores/sqlite/checksums.ts";
import { openSealing, readAuthSecret } from "./stores/folder/folder-secrets.ts";
import { endFormerLeases } from "./stores/lease.ts";
import { requireWholeFolder } from "./stores/folder/moved-folders.ts";
import { createLocalNotices, type Notices } from "./stores/notices.ts";
import type { Db, Relational } from "./stores/relational.ts";
import { createSealedCredentials, type SealedCredentials } from "./stores/sealed-credentials.ts";
import { openSqlite } from "./stores/sqlite/sqlite.ts";
import { requireFinished } from "./stores/folder/unfinished-folder.ts";

export type ServiceContext = {
  config: Config;
  log: Log;
  conditions: Conditions;
  db: Db;
  relational: Relational;
  sealed: SealedCredentials;
  credentials: Credentials;
  sessions: Sessions;
  notices: Notices;
  /** Public address of the service: the configured one, else the listening address. */
  serviceUrl: string;
  close: () => Promise<void>;
};

/** Throws when the relational store, or the secrets or credentials in it, are damaged. */
export async function openContext(
  config: Config,
  log: Log,
  conditions: Conditions,
  passwordHash: PasswordHash = openPasswordThreads(),
): Promise<ServiceContext> {
  const databaseUrl = config.databases?.databaseUrl;
  if (databaseUrl === undefined) requireFinished(config.dataDir);
  const serviceUrl = config.baseUrl ?? `http://${config.host}:${config.port}`;
  const relational =
    databaseUrl === undefined
      ? openSqlite(config.dataDir, openChecksums(config.dataDir, reportUnwritten(conditions)), (upgrade) =>
          log.info(upgrade, "the data folder is of an earlier version and was converted; the copy is as it was before"),
        )
      : await (await import("./stores/postgres/postgres.ts")).openPostgres(databaseUrl);
  try {
    await requireWholeFolder(relational.db);
    if (databaseUrl === undefined)
      await endFormerLeases(relational.db).catch((error: unknown) =>
        log.error({ err: error }, "the leases of the former process could not be ended; they lapse within minutes"),
      );
    const sealing = await openSealing(config, relational, conditions);
    const secret = await readAuthSecret(config, relational);
    const credentials = openCredentials(relational);
    const notices =
      databaseUrl === undefined
        ? createLocalNotices()
        : (await import("./stores/postgres/postgres-notices.ts")).openPostgresNotices(databaseUrl, relational.db, log);
    return {
      config,
      log,
      conditions,
      db: relational.db,
      relational,
      sealed: createSealedCredentials(relational.db, sealing),
      credentials,
      sessions: createSessions(relational, { secret, baseUrl: serviceUrl, passwordHash }),
      notices,
      serviceUrl,
      async close() {
        await notices.close();
        await credentials.close();
        await passwordHash.close?.();
        await relational.close();
      },
    };
  } catch (error) {
    await relational.close();
    throw error;
  }
}

function reportUnwritten(conditions: Conditions): (error: unknown) => void {
  let isReported = false;
  return (error) => {
    if (error === undefined && isReported) conditions.clear("checksums_unwritten");
    if (error !== undefined && !isReported) {
      conditions.report({
        code: "checksums_unwritten",
        message: "The service cannot write the checksums of the relational store. It loses no data while it runs.",
        remedy: "Free space on the disk of the data folder, or repair that disk.",
        error,
      });
    }
    isReported = error !== undefined;
  };
}
