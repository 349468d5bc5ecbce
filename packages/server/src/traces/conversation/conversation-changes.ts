import type { TraceSummary } from "@svc/contract";
import { LIMITS } from "@svc/contract";
import { presentSummary } from "../present.ts";
import type { SpanLoader, TraceReader } from "../store/trace-store.ts";

type ConversationChanges = {
  /** Calls `listener` when conversations may have been read; returns a function that removes it. */
  onChange: (listener: () => void) => () => void;
  /** Returns the number of the newest reading. */
  newest: (project: number) => Promise<bigint>;
  /** Returns the conversations with newer readings than number `after`, the newest first, and the number of the newest reading. */
  since: (project: number, after: bigint) => Promise<{ traces: TraceSummary[]; isMore: boolean; last: bigint }>;
};

/** Creates the reads of conversations that have changed. */
export const createConversationChanges = (
  reader: Pick<TraceReader, "readSince">,
  loader: Pick<SpanLoader, "onProgress">,
): ConversationChanges => ({
  onChange: loader.onProgress,
  newest: async (project) => (await reader.readSince(project, 2n ** 62n, 0)).last,
  async since(project, after) {
    const { rows, ...rest } = await reader.readSince(project, after, LIMITS.conversationsPerChange);
    const nowMs = Date.now();
    return { traces: rows.map((row) => presentSummary(row, nowMs)), ...rest };
  },
});
