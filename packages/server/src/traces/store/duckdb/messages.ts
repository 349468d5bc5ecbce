import type { MetricsPeriod, MetricsRequest } from "../../metric-rules.ts";
import type { TraceListRequest } from "../../rules.ts";
import type { RecordAddress, SealedBatch } from "../../span-batch.ts";
import type { TraceSummaryRow } from "../../summary-row.ts";
import type {
  ConversationCount,
  ExportSelection,
  MetricPoint,
  ReadConversations,
  ToolCount,
  TraceEraser,
  TracePage,
  WaitingRead,
} from "../trace-store.ts";
import type { JournalVersion } from "../journal-version.ts";
import type { ConversationIndex } from "./reads.ts";

/** The calls that the loader thread answers; ids are hexadecimal text, and bigints cross threads unchanged. */
export type ThreadCalls = TraceEraser & {
  list: (request: TraceListRequest) => Promise<TracePage>;
  /** Returns null when `canceled` has a 1 before the call's turn comes. */
  findIndex: (
    project: number,
    traceId: string,
    spansMax: number,
    canceled: Int32Array,
  ) => Promise<ConversationIndex | null>;
  findSummary: (project: number, traceId: string) => Promise<TraceSummaryRow | null>;
  areRead: (reads: readonly WaitingRead[]) => Promise<boolean[]>;
  findProjects: (projects: readonly number[], traceId: string) => Promise<number[]>;
  metrics: (request: MetricsRequest) => Promise<MetricPoint[] | null>;
  countConversations: (period: MetricsPeriod) => Promise<ConversationCount[] | null>;
  countToolCalls: (period: MetricsPeriod) => Promise<ToolCount[] | null>;
  readSince: (project: number, after: bigint, limit: number) => Promise<ReadConversations>;
  remap: (project: number, all: boolean) => Promise<number>;
  lastSentMs: (project: number) => Promise<number | null>;
  exportDays: (project: number) => Promise<number[]>;
  exportTable: (selection: ExportSelection, file: string) => Promise<void>;
  drain: () => Promise<void>;
  close: () => Promise<void>;
};

/** With `damaged`, the thread sets the database aside and starts with an empty one. */
export type ThreadOptions = {
  dataDir: string;
  memoryLimitMb: number;
  journalVersion: JournalVersion;
  damaged: boolean;
};

/** A message to the loader thread; `open` is the first one. */
export type ThreadRequest =
  | { kind: "open"; options: ThreadOptions }
  | { kind: "batch"; batch: SealedBatch }
  | { kind: "commit_soon" }
  | { kind: "call"; id: number; call: keyof ThreadCalls; args: unknown[] };

/** A message from the loader thread. */
export type ThreadEvent =
  | { kind: "ready"; loadedLsn: number }
  | ({ kind: "committed" } & CommitProgress)
  | { kind: "projected"; dueSinceMs: number | undefined }
  | { kind: "answer"; id: number; value: unknown }
  | { kind: "failure"; id: number; error: unknown; interrupted: boolean; refusedWrite: boolean }
  | { kind: "writes"; refusal: unknown }
  | { kind: "damaged_record"; address: RecordAddress }
  | { kind: "failed"; error: unknown; damaged: boolean }
  | { kind: "log"; level: LogLevel; message: string; details: Record<string, unknown> };

/** One commit: how many batches it completed, and the last record whose spans are all stored. */
export type CommitProgress = { lsn: number; batches: number };

type LogLevel = "info" | "warn" | "error";

/** Writes a line to the service's log from within the loader thread. */
export type ThreadLog = (level: LogLevel, message: string, details?: object) => void;
