import type { StoredSpan } from "../stored-span.ts";
import type { Conversation } from "./conversation.ts";

/**
 * Returns the number of failed tool calls whose spans have no error status. Some senders mark the span of a failed tool call,
 * others only set an attribute. When this number is added to the failed spans, each failed call counts once.
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
