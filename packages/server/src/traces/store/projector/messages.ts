import type { RecordAddress } from "../../span-batch.ts";
import type { JournalVersion } from "../journal-version.ts";
import type { ReadingOutcome, SpanFacts } from "../reading.ts";
import type { SpanIndex } from "../span-index.ts";

type ProjectorOptions = { dataDir: string; journalVersion: JournalVersion };

/** Conversations to read, and the rows of their spans. */
export type ProjectorRequest = {
  conversations: UnreadConversation[];
  /** The traces of the conversations, each with the position of its conversation in the list. */
  traces: { project: number; traceId: bigint; conversation: number }[];
  index: SpanIndex;
};

/** A conversation is `truncated` when the rows lack some of its spans. */
type UnreadConversation = { facts: SpanFacts; truncated: boolean };

/** The thread that derives readings from the bodies in the journal. */
export type ProjectorFace = {
  options: ProjectorOptions;
  calls: {
    /** Returns the outcome of each conversation; null when they are too large to be read together. */
    read: (request: ProjectorRequest) => Promise<ReadingOutcome[] | null>;
  };
  events: { damagedRecord: (address: RecordAddress) => void };
};
