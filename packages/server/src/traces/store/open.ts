import { mkdirSync } from "node:fs";
import type { Log } from "../../log.ts";
import { lockDataDir } from "../../stores/data-dir-lock.ts";
import { startThread } from "./duckdb/thread-client.ts";
import type { TraceStore } from "./trace-store.ts";

type TraceStoreOptions = {
  dataDir: string;
  log: Log;
  memoryLimitMb?: number;
};

/** Opens the trace store in `dataDir`. Until `close`, a second server on that directory is refused. */
export async function openTraceStore({ dataDir, log, memoryLimitMb = 256 }: TraceStoreOptions): Promise<TraceStore> {
  mkdirSync(dataDir, { recursive: true });
  const unlock = lockDataDir(dataDir);
  const store = await startThread({ dataDir, memoryLimitMb }, log).catch((error: unknown) => {
    unlock();
    throw error;
  });
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    await store.close();
    unlock();
  }

  return { ...store, close: () => (closing ??= close()) };
}
