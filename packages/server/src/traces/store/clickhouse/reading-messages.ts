import type { ReadingOutcome, SpanFacts } from "../reading.ts";

export type ReadingFace = {
  options: undefined;
  calls: {
    /** `lines` are the spans of all these conversations. */
    read: (lines: Uint8Array<ArrayBuffer>, conversations: readonly UnreadConversation[]) => Promise<ReadingOutcome[]>;
  };
  events: Record<string, never>;
};

/** The read may have returned fewer spans than `spans`. */
type UnreadConversation = { project: number; traceIds: string[]; spans: number; facts: SpanFacts };
