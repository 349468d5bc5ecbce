import { mkdirSync } from "node:fs";
import { type Conditions, createConditions } from "../../base/conditions.ts";
import type { Log } from "../../base/log/log.ts";
import { lockDataDir } from "../../stores/folder/data-dir-lock.ts";
import type { Db } from "../../stores/relational.ts";
import type { RecordAddress } from "../span-batch.ts";
import type { ClickHouseOptions, ClickHouseStore } from "./clickhouse/open.ts";
import { createConversationReads } from "./conversations.ts";
import { writeParquet } from "./duckdb/parquet-writer.ts";
import { openReopeningStore } from "./folder/reopening-store.ts";
import { createJournalVersion } from "./journal-version.ts";
import { openPresenter } from "./presenter/thread-client.ts";
import type { SpanSource, SpanTarget, TraceStore } from "./trace-store.ts";

type TraceStoreOptions = {
  dataDir: string;
  log: Log;
  conditions?: Conditions;
  memoryLimitMb?: number;
  onDamagedRecord?: (address: RecordAddress) => void;
  /** Work of this thread while the store thread opens the database. The folder is locked during the work. */
  meanwhile?: () => Promise<void>;
};

/** Opens the trace store in `dataDir`, and locks the folder until `close`, so that a second server cannot use it. */
export async function openTraceStore({
  dataDir,
  log,
  conditions = createConditions(log),
  memoryLimitMb = 256,
  onDamagedRecord = () => {},
  meanwhile = async () => {},
}: TraceStoreOptions): Promise<TraceStore> {
  mkdirSync(dataDir, { recursive: true });
  const unlock = lockDataDir(dataDir);
  const journalVersion = createJournalVersion();
  const options = { dataDir, memoryLimitMb, journalVersion, log, conditions, onDamagedRecord };
  const store = await openBeside(options, meanwhile).catch((error: unknown) => {
    unlock();
    throw error;
  });
  const presenter = openPresenter({ dataDir, journalVersion }, log, onDamagedRecord);
  const reader = Object.assign(store.reader, createConversationReads(store.reader.findBodies, presenter));
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    await presenter.close();
    await store.close();
    unlock();
  }

  return { ...store, reader, close: () => (closing ??= close()) };
}

/** Loads the code of the ClickHouse store only here. */
export async function openClickHouseTraces(options: Omit<ClickHouseOptions, "writeParquet">): Promise<ClickHouseStore> {
  const { openClickHouseStore } = await import("./clickhouse/open.ts");
  return openClickHouseStore({ ...options, writeParquet });
}

export async function openMovedSpans(url: string, db: Db): Promise<SpanTarget> {
  const { openSpanTarget } = await import("./clickhouse/moved-spans.ts");
  return openSpanTarget(url, db);
}

export async function openSpanSource(url: string, db: Db): Promise<SpanSource> {
  const { openClickHouseSpans } = await import("./clickhouse/span-source.ts");
  return openClickHouseSpans(url, db);
}

async function openBeside(options: Parameters<typeof openReopeningStore>[0], work: () => Promise<void>) {
  const opening = openReopeningStore(options);
  // If the store does not open, the caller gets the error only once the work is done.
  opening.catch(() => undefined);
  try {
    await work();
  } catch (error) {
    await opening.then(({ close }) => close());
    throw error;
  }
  return opening;
}

/**
 * Returns why the trace store of a stopped service does not open; undefined if it opens. Imports the engine only here, because the
 * service's main thread never loads the engine.
 */
export async function checkTraceStore(dataDir: string): Promise<string | undefined> {
  const { checkCopy } = await import("./folder/check.ts");
  return checkCopy(dataDir);
}
