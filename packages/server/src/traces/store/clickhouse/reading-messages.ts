import type { CallThreadEvent } from "../call-thread.ts";
import type { ReadingOutcome, SpanFacts } from "../reading.ts";

/** A message to the reading thread: conversations, and the lines of their spans. */
export type ReadingRequest = { lines: Uint8Array<ArrayBuffer>; conversations: UnreadConversation[] };

/** A conversation with the number of spans that are stored; a read may hold fewer. */
type UnreadConversation = { project: number; traceIds: string[]; spans: number; facts: SpanFacts };

export type ReadingEvent = CallThreadEvent<ReadingOutcome[]>;
