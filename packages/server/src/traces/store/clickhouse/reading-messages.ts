import type { ReadingOutcome, SpanFacts } from "../reading.ts";

/** The thread that derives readings from spans in ClickHouse. */
export type ReadingFace = {
  options: undefined;
  calls: {
    /** Returns the outcome of each conversation. `lines` are the spans of all these conversations. */
    read: (lines: Uint8Array<ArrayBuffer>, conversations: readonly UnreadConversation[]) => Promise<ReadingOutcome[]>;
  };
  events: Record<string, never>;
};

/** A conversation, and the number of its stored spans. The read may have returned fewer spans. */
type UnreadConversation = { project: number; traceIds: string[]; spans: number; facts: SpanFacts };
