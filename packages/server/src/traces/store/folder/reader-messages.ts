import type { RecordAddress } from "../../span-batch.ts";
import type { TraceBody } from "../body-rows.ts";
import type { JournalVersion } from "../journal-version.ts";
import type { ReadingOutcome, SpanFacts } from "../reading.ts";

/** `isCut` is true if some bodies of the conversation are left out. */
export type UnreadConversation = { facts: SpanFacts; isCut: boolean; bodies: readonly TraceBody[] };

export type ExactTrace = { project: number; traceId: string; spans: number; errors: number; receivedLastMs: number };

/**
 * The outcome of one conversation. `counts` has the number of its spans and the number of its failed spans; null if a limit left out
 * spans. `exact` has the sums of those of its traces that have repeated spans.
 */
export type CountedOutcome =
  | (Extract<ReadingOutcome, { reading: unknown }> & {
      counts: { spans: number; errors: number } | null;
      exact: ExactTrace[];
    })
  | Extract<ReadingOutcome, { error: unknown }>;

export type ReaderFace = {
  options: { dataDir: string; journalVersion: JournalVersion };
  calls: {
    /** Null if the conversations are too large to be derived together. */
    read: (conversations: readonly UnreadConversation[]) => Promise<CountedOutcome[] | null>;
  };
  events: { damagedRecord: (address: RecordAddress) => void };
};
