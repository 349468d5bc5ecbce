import type { RecordAddress } from "../../span-batch.ts";
import type { TraceBody } from "../body-rows.ts";
import type { JournalVersion } from "../journal-version.ts";
import type { ReadingOutcome, SpanFacts } from "../reading.ts";

/** A conversation and its bodies in the journal. `isCut` is true if some bodies of the conversation are left out. */
export type UnreadConversation = { facts: SpanFacts; isCut: boolean; bodies: readonly TraceBody[] };

/** The sums of a trace without its repeated spans. */
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

/** The thread that derives readings from the bodies in the journal. */
export type ReaderFace = {
  options: { dataDir: string; journalVersion: JournalVersion };
  calls: {
    /** Returns the outcome of each conversation. Returns null if they are too large to be read together. */
    read: (conversations: readonly UnreadConversation[]) => Promise<CountedOutcome[] | null>;
  };
  events: { damagedRecord: (address: RecordAddress) => void };
};
