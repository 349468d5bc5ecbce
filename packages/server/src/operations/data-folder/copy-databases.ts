import { chmodSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createConditions } from "../../base/conditions.ts";
import { type Config, readConfig } from "../../base/config/config.ts";
import { listProjects } from "../exports/store.ts";
import { createLog } from "../../base/log/log.ts";
import { createSealing } from "../../base/secrets/sealing.ts";
import { writeSecret } from "../../base/secrets/secrets.ts";
import { writeChecksums } from "../../stores/sqlite/checksums.ts";
import { tablesToCopy } from "../../stores/copied-rows.ts";
import { tryLock } from "../../stores/folder/data-dir-lock.ts";
import { fetchNumbers, fetchRows } from "../../stores/fetched-rows.ts";
import {
  AUTH_SECRET,
  ENCRYPTION_KEY,
  rememberAuthSecret,
  storedCredentials,
} from "../../stores/folder/folder-secrets.ts";
import { requireWholeFolder } from "../../stores/folder/moved-folders.ts";
import type { Db, Embedded } from "../../stores/relational.ts";
import { countUnreadable, readEnvelopes } from "../../stores/sealed-credentials.ts";
import { isServed } from "../../stores/serving.ts";
import { openSqlite } from "../../stores/sqlite/sqlite.ts";
import { isUnfinished, markFinished, markUnfinished, removeContent } from "../../stores/folder/unfinished-folder.ts";
import { deletedBy } from "../../traces/journal/journal-spans.ts";
import { journalDir } from "../../traces/journal/segments.ts";
import { openTraces, type Traces } from "../../traces/open.ts";
import { createDeletionStore } from "../../traces/store/deletions.ts";
import { openSpanSource } from "../../traces/store/open.ts";
import type { SpanSource } from "../../traces/store/trace-store.ts";
import { writeSpanJournal } from "../../traces/journal/write-span-journal.ts";
import { compareStores, type Comparison } from "./compare.ts";
import { type Addresses, onDatabases } from "./databases.ts";
import {
  type FetchedRecordings,
  fetchRecordings,
  type RecordingOptions,
  requireRecordings,
} from "./fetch-recordings.ts";
import { FolderRefusal, type Progress } from "./refusal.ts";

export type CopySource = Addresses & Pick<RecordingOptions, "inBucket" | "waitingIn">;

export type DatabaseCopy = Comparison & { folder: string; recordings: FetchedRecordings };

const SHOWN_EVERY_MS = 2_000;
/** Largest number of rows in one call of `readSince`. Within `SHOWN_EVERY_MS`, the service reads fewer conversations than this. */
const READINGS_MAX = 10_000;

type Secrets = { encryptionKey: string; authSecret: string };

/**
 * Copies the content of databases into an empty data folder and compares both. Changes nothing in the databases. After
 * an interruption, the next call starts again from the beginning.
 */
export async function copyDatabases(
  dataDir: string,
  source: CopySource,
  environment: Record<string, string | undefined>,
  progress: Progress,
): Promise<DatabaseCopy> {
  // Settings for a service that uses the folder instead of the databases.
  const { SVC_DATABASE_URL: _, SVC_CLICKHOUSE_URL: __, ...own } = environment;
  const settings = { ...own, SVC_DATA_DIR: dataDir };
  const { encryptionKey, authSecret, recordingStore: objectStore } = readConfig(settings);
  if (encryptionKey === undefined || authSecret === undefined) {
    const message = "Set SVC_ENCRYPTION_KEY and SVC_AUTH_SECRET as for the processes on the databases.";
    throw new FolderRefusal("secrets_missing", `The databases do not hold the secrets of their service. ${message}`);
  }
  const recordings = { ...source, objectStore };
  const { openPreparedPostgres: openRows } = await import("../../stores/postgres/postgres.ts");
  const copy = async (db: Db, spans: SpanSource): Promise<DatabaseCopy> => {
    progress("Checking the databases");
    await requireCopyable(db, spans, encryptionKey);
    await requireRecordings(db, recordings);
    takeFolder(dataDir);
    const fetched = await underLock(dataDir, () => fill(dataDir, { db, spans, recordings }, progress));
    const comparison = await compareFolder(readConfig(settings), db, spans, progress);
    if (comparison.differences.length === 0)
      await underLock(dataDir, () => finish(dataDir, { encryptionKey, authSecret }));
    return { folder: dataDir, recordings: fetched, ...comparison };
  };
  return onDatabases(source, { openRows, openSpans: openSpanSource }, copy, "it begins again.");
}

/** Throws when a service uses the databases, when they contain only a part of a folder, or when the copy would differ from them. */
async function requireCopyable(db: Db, spans: SpanSource, encryptionKey: string): Promise<void> {
  if (await isServed(db)) {
    throw new FolderRefusal("databases_in_use", "A service runs on the databases. Stop all of its processes.");
  }
  await requireWholeFolder(db).catch(({ message }: Error) => {
    throw new FolderRefusal("databases_unfinished", message);
  });
  const unreadable = countUnreadable(await readEnvelopes(db), createSealing(encryptionKey));
  if (unreadable > 0) {
    const message = `SVC_ENCRYPTION_KEY does not open ${storedCredentials(unreadable)}. Set it as for the processes on the databases.`;
    throw new FolderRefusal("wrong_secret", message);
  }
  const former = await spans.countFormerReadings();
  if (former > 0) {
    const message = `An earlier version has derived the turns of ${former} conversations. Start the service, run \`svc traces remap\` for each project until none waits, and stop it.`;
    throw new FolderRefusal("former_readings", message);
  }
}

/** Marks the folder as unfinished. Throws unless it is empty, or unfinished because of an interrupted call. */
function takeFolder(dataDir: string): void {
  if (!isUnfinished(dataDir) && existsSync(dataDir) && readdirSync(dataDir).length > 0)
    throw new FolderRefusal("folder_not_empty", `${dataDir} is not empty. Name a new folder with --data-dir.`);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  chmodSync(dataDir, 0o700);
  markUnfinished(dataDir);
}

async function underLock<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  const unlock = tryLock(dataDir);
  if (unlock === undefined)
    throw new FolderRefusal("folder_in_use", `Another call of this command works on ${dataDir}. Wait until it ends.`);
  return work().finally(unlock);
}

/** Empties the folder, then fills it with rows, recordings and the journal. */
async function fill(
  dataDir: string,
  { db, spans, recordings }: { db: Db; spans: SpanSource; recordings: RecordingOptions },
  progress: Progress,
): Promise<FetchedRecordings> {
  removeContent(dataDir);
  const relational = openSqlite(dataDir);
  try {
    await copyRows(db, relational.embedded.engine, progress);
    const fetched = await fetchRecordings(dataDir, relational, recordings, progress);
    await writeSpanJournal({
      source: spans,
      journal: journalDir(dataDir),
      deleted: deletedBy(await createDeletionStore(relational.db).listDigests()),
      onWritten: (count, receivedMs) =>
        progress(`Writing spans: ${count} until ${new Date(receivedMs).toISOString().slice(0, 19)}`),
    });
    return fetched;
  } finally {
    await relational.close();
  }
}

async function compareFolder(config: Config, db: Db, spans: SpanSource, progress: Progress): Promise<Comparison> {
  const log = createLog("silent");
  progress("Loading the spans of the folder");
  const traces = await openTraces(config, log, createConditions(log));
  const relational = openSqlite(config.dataDir);
  try {
    await traces.intake.loaded();
    await readAll(traces, await listProjects(relational.db), progress);
    const { engine } = relational.embedded;
    const stores = { engine, db, folder: traces.reader, databases: spans, made: "folder" } as const;
    const comparison = await compareStores(stores, progress);
    const isInUse = await isServed(db);
    const differences = [...comparison.differences, ...(isInUse ? ["A service runs on the databases again."] : [])];
    return { ...comparison, differences };
  } finally {
    await relational.close();
    await traces.close();
  }
}

async function finish(dataDir: string, { encryptionKey, authSecret }: Secrets): Promise<void> {
  writeSecret(dataDir, join(dataDir, ENCRYPTION_KEY), encryptionKey);
  writeSecret(dataDir, join(dataDir, AUTH_SECRET), authSecret);
  const { db, close } = openSqlite(dataDir);
  await rememberAuthSecret(db, authSecret).finally(close);
  writeChecksums(dataDir);
  markFinished(dataDir);
}

async function readAll(
  { reader, intake }: Traces,
  projects: readonly { number: number }[],
  progress: Progress,
): Promise<void> {
  const drained = intake.drain().then(() => true);
  drained.catch(() => undefined);
  const lastOf = new Map<number, bigint>();
  for (let readings = 0; ;) {
    progress(`Reading the conversations of the folder: ${readings}`);
    if (await Promise.race([drained, delay(SHOWN_EVERY_MS, false)])) return;
    for (const { number } of projects) {
      const { rows, last } = await reader.readSince(number, lastOf.get(number) ?? 0n, READINGS_MAX);
      lastOf.set(number, last);
      readings += rows.length;
    }
  }
}

/** Copies all rows from one snapshot of the database, and the counters for the numbers of new rows. */
async function copyRows(db: Db, engine: Embedded["engine"], progress: Progress): Promise<void> {
  const tables = tablesToCopy(engine);
  // A row may refer to a row in a table that is copied later.
  engine.pragma("foreign_keys = OFF");
  const snapshot = db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only");
  await snapshot.execute(async (tx) => {
    for (const [index, table] of tables.entries()) {
      const name = `Copying rows: table ${index + 1} of ${tables.length}, ${table}`;
      progress(name);
      await fetchRows(tx, engine, table, (rows) => progress(`${name}: ${rows}`));
    }
    await fetchNumbers(tx, engine);
  });
  engine.pragma("foreign_keys = ON");
}
