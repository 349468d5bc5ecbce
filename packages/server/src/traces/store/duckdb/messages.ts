import type { RecordAddress, SealedBatch } from "../../span-batch.ts";
import type { JournalVersion } from "../journal-version.ts";
import type { ExportSelection, TraceEraser, TraceReader } from "../trace-store.ts";
import type { ConversationIndex } from "./reads.ts";

/** The calls for other code that the loader thread answers; ids are hexadecimal text, and bigints cross threads unchanged. */
export type LoaderCalls = Omit<TraceReader, "find" | "answer"> &
  TraceEraser & {
    findIndex: (
      project: number,
      traceId: string,
      spansMax: number,
      signal?: AbortSignal,
    ) => Promise<ConversationIndex | null>;
    exportDays: (project: number) => Promise<number[]>;
    exportTable: (selection: ExportSelection, file: string) => Promise<void>;
  };

/** The thread that owns the database. */
export type LoaderFace = {
  options: ThreadOptions;
  calls: LoaderCalls & {
    /** Takes a batch, which counts as committed only after the event. */
    add: (batch: SealedBatch) => void;
    commitSoon: () => void;
    drain: () => Promise<void>;
  };
  events: {
    /** One event comes before the thread is ready. */
    committed: (progress: CommitProgress) => void;
    /** Says since when the longest waiting conversation is due. */
    projected: (dueSinceMs: number | undefined) => void;
    /** Says the error of a write that the thread tries again, and undefined once a write succeeds. */
    writeRefused: (refusal: unknown) => void;
    damagedRecord: (address: RecordAddress) => void;
    log: ThreadLog;
  };
};

/** With `damaged`, the thread sets the database aside and starts with an empty one. */
export type ThreadOptions = {
  dataDir: string;
  memoryLimitMb: number;
  journalVersion: JournalVersion;
  damaged: boolean;
};

/** One commit: how many batches it completed, and the last record whose spans are all stored. */
export type CommitProgress = { lsn: number; batches: number };

type LogLevel = "info" | "warn" | "error";

/** Writes a line to the service's log from within the loader thread. */
export type ThreadLog = (level: LogLevel, message: string, details?: object) => void;
