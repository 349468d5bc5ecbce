import type { RecordAddress, SealedBatch } from "../../span-batch.ts";
import type { TraceSummaryRow } from "../../summary-row.ts";
import type { TraceBody } from "../body-rows.ts";
import type { JournalVersion } from "../journal-version.ts";
import type { ExportSelection, TraceEraser, TraceReader, VersionAttribute } from "../trace-store.ts";

/** A conversation with its bodies in the journal, or without them if it has too many spans. */
export type ConversationBodies = { summary: TraceSummaryRow } & (
  | { bodies: TraceBody[]; truncated: boolean; journalVersion: number }
  | { index: null }
);

/** The calls of other code that the store's thread answers. Bigints can be sent between threads as they are. */
export type StoreCalls = Omit<TraceReader, "find" | "answer"> &
  TraceEraser & {
    findBodies: (
      project: number,
      traceId: string,
      spansMax: number,
      signal?: AbortSignal,
    ) => Promise<ConversationBodies | null>;
    exportDays: (project: number) => Promise<number[]>;
    exportTable: (selection: ExportSelection, file: string) => Promise<void>;
  };

/** The thread that owns the index and the samples of the folder. */
export type StoreFace = {
  options: ThreadOptions;
  calls: StoreCalls & {
    /** Takes a batch. It is committed only when the `committed` event says so. */
    add: (batch: SealedBatch) => void;
    commitSoon: () => void;
    setVersionAttributes: (attributes: readonly VersionAttribute[]) => Promise<void>;
    drain: () => Promise<void>;
  };
  events: {
    /** Sent after each commit, and once before the thread is ready. */
    committed: (progress: CommitProgress) => void;
    /** The time since when the conversation that has waited longest is due; undefined if none waits. */
    read: (dueSinceMs: number | undefined) => void;
    /** Sent with the error of a write that the thread will retry, and with undefined once a write succeeds. */
    writeRefused: (refusal: unknown) => void;
    damagedRecord: (address: RecordAddress) => void;
    log: ThreadLog;
  };
};

/** If `damaged`, the thread sets the files aside and starts with empty ones. */
export type ThreadOptions = {
  dataDir: string;
  memoryLimitMb: number;
  journalVersion: JournalVersion;
  damaged: boolean;
};

/** What one commit stored: `batches` is the number of batches, `lsn` the last record whose spans are all stored. */
export type CommitProgress = { lsn: number; batches: number };

type LogLevel = "info" | "warn" | "error";

/** Writes a line to the service's log from this thread. */
export type ThreadLog = (level: LogLevel, message: string, details?: object) => void;
