import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { takeDue } from "../../packages/server/src/traces/store/index/due-conversations.ts";
import {
  type NumberedReading,
  type ReadConversation,
  storeReadings,
} from "../../packages/server/src/traces/store/index/readings.ts";
import type { TraceSums } from "../../packages/server/src/traces/store/index/trace-sums.ts";
import { openIndexFile } from "../../packages/server/src/traces/store/folder/index-file.ts";
import { EMPTY_READING, type StoredReading } from "../../packages/server/src/traces/store/reading.ts";
import type { SqliteFile } from "../../packages/server/src/stores/sqlite/sqlite.ts";
import { traceIdOf } from "./ingest.ts";

export type TraceIndex = Pick<SqliteFile, "db" | "engine"> & { dataDir: string; close: () => Promise<void> };

/** Opens an empty index of traces and conversations in a temporary folder. */
export async function openTraceIndex(): Promise<TraceIndex> {
  const dataDir = mkdtempSync(join(tmpdir(), "svc-index-"));
  const { db, engine, close } = await openIndexFile(dataDir, (error) => {
    throw error;
  });
  return {
    db,
    engine,
    dataDir,
    async close() {
      await close();
      rmSync(dataDir, { recursive: true });
    },
  };
}

/** Returns the sums of some spans of a trace. */
export const sumsOf = (trace: number, sums: Partial<TraceSums> = {}): TraceSums => ({
  project: 1,
  traceId: traceIdOf(trace),
  startedNs: BigInt(trace),
  endedNs: null,
  spans: 1,
  errors: 0,
  rootName: null,
  rootStartNs: null,
  rootEndNs: null,
  conversation: null,
  conversationRank: null,
  agent: null,
  agentStartNs: null,
  service: null,
  receivedFirstMs: 1,
  receivedLastMs: 1,
  ...sums,
});

/** The parts of a derived conversation that `foundIn` gave; all other parts are empty. */
export type Found = Partial<StoredReading> & Partial<Pick<ReadConversation, "spans" | "errors">>;

/** Stores what `foundIn` derives of every conversation with new spans. */
export async function readAll(
  { db }: Pick<TraceIndex, "db">,
  foundIn: (conversation: ReadConversation["conversation"]) => Found = () => ({}),
): Promise<NumberedReading[]> {
  const leased = await takeDue(db, 10_000, true);
  return storeReadings(
    db,
    leased.map((conversation) => {
      const { spans = conversation.receivedSpans, errors = 0, ...reading } = foundIn(conversation);
      return { conversation, reading: { ...EMPTY_READING, ...reading }, spans, errors };
    }),
  );
}
