import type { RecordAddress, SealedBatch } from "../../span-batch.ts";
import type { TraceSummaryRow } from "../../summary-row.ts";
import type { TraceBody } from "../body-rows.ts";
import type { JournalVersion } from "../journal-version.ts";
import type { ExportSelection, TraceEraser, TraceReader, VersionAttribute } from "../trace-store.ts";

/** A conversation with its bodies in the journal; without them when it has too many spans. */
export type ConversationBodies = { summary: TraceSummaryRow } & (
  | { bodies: TraceBody[]; truncated: boolean; journalVersion: number }
  | { index: null }
);

/** The calls for other code that the thread of the store answers; bigints cross threads unchanged. */
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
    /** Takes a batch, which counts as committed only after the event. */
    add: (batch: SealedBatch) => void;
    commitSoon: () => void;
    setVersionAttributes: (attributes: readonly VersionAttribute[]) => Promise<void>;
    drain: () => Promise<void>;
  };
  events: {
    /** One event comes before the thread is ready. */
    committed: (progress: CommitProgress) => void;
    /** Says since when the longest waiting conversation is due. */
    read: (dueSinceMs: number | undefined) => void;
    /** Says the error of a write that the thread tries again, and undefined once a write succeeds. */
    writeRefused: (refusal: unknown) => void;
    damagedRecord: (address: RecordAddress) => void;
    log: ThreadLog;
  };
};

/** With `damaged`, the thread sets its files aside and starts with empty ones. */
export type ThreadOptions = {
  dataDir: string;
  memoryLimitMb: number;
  journalVersion: JournalVersion;
  damaged: boolean;
};

/** One commit: how many batches it completed, and the last record whose spans are all stored. */
export type CommitProgress = { lsn: number; batches: number };

type LogLevel = "info" | "warn" | "error";

/** Writes a line to the service's log from within the thread. */
export type ThreadLog = (level: LogLevel, message: string, details?: object) => void;
