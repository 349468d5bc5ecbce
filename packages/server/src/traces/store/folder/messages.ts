import type { RecordAddress, SealedBatch } from "../../span-batch.ts";
import type { TraceSummaryRow } from "../../summary-row.ts";
import type { TraceBody } from "../body-rows.ts";
import type { JournalVersion } from "../journal-version.ts";
import type { ExportSelection, TraceEraser, TraceReader, VersionAttribute } from "../trace-store.ts";

/** A conversation with its bodies in the journal, or without bodies (`index` null) if it has too many spans. */
export type ConversationBodies = { summary: TraceSummaryRow } & (
  | { bodies: TraceBody[]; truncated: boolean; journalVersion: number }
  | { index: null }
);

/** Bigints are sent between threads without conversion. */
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

export type StoreFace = {
  options: ThreadOptions;
  calls: StoreCalls & {
    /** The batch is stored only when the `committed` event has counted it. */
    add: (batch: SealedBatch) => void;
    commitSoon: () => void;
    setVersionAttributes: (attributes: readonly VersionAttribute[]) => Promise<void>;
    drain: () => Promise<void>;
  };
  events: {
    /** Sent after each commit, and once before the thread is ready. */
    committed: (progress: CommitProgress) => void;
    /** Time from which the longest waiting conversation is due, in Unix milliseconds; undefined if no conversation waits. */
    read: (dueSinceMs: number | undefined) => void;
    /** Sent with the error of a write that the thread will retry, and with undefined once a write succeeds. */
    writeRefused: (refusal: unknown) => void;
    damagedRecord: (address: RecordAddress) => void;
    log: ThreadLog;
  };
};

/** If `damaged` is true, the thread sets the files aside and starts with empty files. */
export type ThreadOptions = {
  dataDir: string;
  memoryLimitMb: number;
  journalVersion: JournalVersion;
  damaged: boolean;
};

/** `lsn` is the number of the last record whose spans are all stored. */
export type CommitProgress = { lsn: number; batches: number };

type LogLevel = "info" | "warn" | "error";

export type ThreadLog = (level: LogLevel, message: string, details?: object) => void;
