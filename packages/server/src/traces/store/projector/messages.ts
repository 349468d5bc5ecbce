import type { RecordAddress } from "../../span-batch.ts";
import type { JournalVersion } from "../journal-version.ts";
import type { CallThreadEvent } from "../call-thread.ts";
import type { ReadingOutcome, SpanFacts } from "../reading.ts";
import type { SpanIndex } from "../span-index.ts";

export type ProjectorOptions = { dataDir: string; journalVersion: JournalVersion };

/** A message to the projector thread: conversations to read, and the rows of their spans. */
export type ProjectorRequest = {
  conversations: UnreadConversation[];
  /** The traces of the conversations, each with the position of its conversation in the list. */
  traces: { project: number; traceId: bigint; conversation: number }[];
  index: SpanIndex;
};

/** A conversation is `truncated` when the rows lack some of its spans. */
type UnreadConversation = { facts: SpanFacts; truncated: boolean };

/** The outcome of each conversation; null when they are too large to be read together. */
export type ProjectorAnswer = ReadingOutcome[] | null;

/** A message about a record of the journal that cannot be read. */
export type DamagedRecord = { kind: "damaged_record"; address: RecordAddress };

export type ProjectorEvent = CallThreadEvent<ProjectorAnswer> | DamagedRecord;
