import { mkdirSync } from "node:fs";
import type { Log } from "../../log.ts";
import { lockDataDir } from "../../stores/data-dir-lock.ts";
import { createConversationReads } from "./conversations.ts";
import { startThread } from "./duckdb/thread-client.ts";
import { createJournalVersion } from "./journal-version.ts";
import { openPresenter } from "./presenter/thread-client.ts";
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
  const journalVersion = createJournalVersion();
  const thread = await startThread({ dataDir, memoryLimitMb, journalVersion }, log).catch((error: unknown) => {
    unlock();
    throw error;
  });
  const presenter = openPresenter({ dataDir, journalVersion }, log);
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
