import { mkdirSync } from "node:fs";
import { type Conditions, createConditions } from "../../conditions.ts";
import type { Log } from "../../log.ts";
import { lockDataDir } from "../../stores/data-dir-lock.ts";
import { openReopeningStore } from "./duckdb/reopening-store.ts";
import { startRetention } from "./retention.ts";
import type { TraceStore } from "./trace-store.ts";

type TraceStoreOptions = {
  dataDir: string;
  log: Log;
  conditions?: Conditions;
  retentionDays?: number | undefined;
  memoryLimitMb?: number;
};

/**
 * Opens the trace store in `dataDir` and drops the days before the retention. Until `close`, a second server on that
 * directory is refused.
 */
export async function openTraceStore({
  dataDir,
  log,
  conditions = createConditions(log),
  retentionDays,
  memoryLimitMb = 256,
}: TraceStoreOptions): Promise<TraceStore> {
  mkdirSync(dataDir, { recursive: true });
  const unlock = lockDataDir(dataDir);
  const store = await openReopeningStore({ dataDir, memoryLimitMb, log, conditions }).catch((error: unknown) => {
    unlock();
    throw error;
  });
  const stopping = new AbortController();
  if (retentionDays !== undefined) {
    const { dropDaysBefore } = store;
    startRetention({ dataDir, retentionDays, dropDaysBefore, log, signal: stopping.signal });
  }
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    stopping.abort();
    await store.close();
    unlock();
  }

  return { ...store, close: () => (closing ??= close()) };
}
