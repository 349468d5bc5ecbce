import type { RecordAddress } from "../../span-batch.ts";
import type { JournalVersion } from "../journal-version.ts";
import type { SpanFacts, StoredReading } from "../reading.ts";
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
export type UnreadConversation = { facts: SpanFacts; truncated: boolean };

/** The reading of one conversation, or the error that prevented it. */
export type ReadingOutcome = { reading: StoredReading } | { error: unknown };

/** A message from the projector thread; it is `ready` once its code is loaded, and answers each request with one message. */
export type ProjectorEvent =
  | { kind: "ready" }
  | { kind: "readings"; outcomes: ReadingOutcome[] }
  | { kind: "too_large" }
  | { kind: "damaged_record"; address: RecordAddress };
