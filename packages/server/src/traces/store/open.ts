import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Conditions, createConditions } from "../../conditions.ts";
import type { Log } from "../../log.ts";
import { lockDataDir } from "../../stores/data-dir-lock.ts";
import type { RecordAddress } from "../span-batch.ts";
import { createConversationReads } from "./conversations.ts";
import { openDatabase } from "./duckdb/database.ts";
import { checkBlocks } from "./duckdb/block-sums.ts";
import { checkLog } from "./duckdb/log-sums.ts";
import { openReopeningStore } from "./duckdb/reopening-store.ts";
import { createJournalVersion } from "./journal-version.ts";
import { openPresenter } from "./presenter/thread-client.ts";
import type { TraceStore } from "./trace-store.ts";

type TraceStoreOptions = {
  dataDir: string;
  log: Log;
  conditions?: Conditions;
  /** Whether answers show credentials in attributes. */
  showsCredentials?: boolean;
  memoryLimitMb?: number;
  /** Receives the address of each record of the journal that cannot be read. */
  onDamagedRecord?: (address: RecordAddress) => void;
};

/** Opens the trace store in `dataDir`. Until `close`, a second server on that directory is refused. */
export async function openTraceStore({
  dataDir,
  log,
  conditions = createConditions(log),
  memoryLimitMb = 256,
  showsCredentials = false,
  onDamagedRecord = () => {},
}: TraceStoreOptions): Promise<TraceStore> {
  mkdirSync(dataDir, { recursive: true });
  const unlock = lockDataDir(dataDir);
  const journalVersion = createJournalVersion();
  const options = { dataDir, memoryLimitMb, journalVersion, log, conditions, onDamagedRecord };
  const thread = await openReopeningStore(options).catch((error: unknown) => {
    unlock();
    throw error;
  });
  const presenter = openPresenter({ dataDir, journalVersion, showsCredentials }, log, onDamagedRecord);
  const { findIndex, ...reads } = thread.reader;
  const reader = { ...reads, ...createConversationReads(findIndex, presenter) };
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    await presenter.close();
    await thread.close();
    unlock();
  }

  return { ...thread, reader, close: () => (closing ??= close()) };
}

/** Returns why the trace store of a stopped service does not open; undefined when it does. Works on a temporary copy. */
export async function checkTraceStore(dataDir: string): Promise<string | undefined> {
  const copy = mkdtempSync(join(tmpdir(), "svc-doctor-"));
  try {
    for (const name of ["analytics.duckdb", "analytics.duckdb.wal", "analytics.sums", "analytics.blocks"]) {
      if (existsSync(join(dataDir, name))) copyFileSync(join(dataDir, name), join(copy, name));
    }
    checkLog(copy);
    for (const _ of checkBlocks(copy));
    const database = await openDatabase(copy, 256);
    database.close();
    return undefined;
  } catch (error) {
    return (error as Error).message.split("\n", 1)[0];
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
