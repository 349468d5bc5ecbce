import type { StoredSpan } from "../stored-span.ts";
import type { Conversation } from "./conversation.ts";

/**
 * Counts the failed tool calls whose spans do not have the error status, because some senders only set an attribute. The result plus the
 * number of failed spans counts each failed call once.
 */
export function unmarkedToolErrors(
  { toolCalls }: Pick<Conversation, "toolCalls">,
  spans: readonly Pick<StoredSpan, "spanId" | "status">[],
): number {
  const failed = toolCalls.filter(({ isError }) => isError === true);
  if (failed.length === 0) return 0;
  const marked = new Set(spans.flatMap(({ spanId, status }) => (status === "error" ? [spanId] : [])));
  return failed.filter(({ spanId }) => !marked.has(spanId)).length;
}
