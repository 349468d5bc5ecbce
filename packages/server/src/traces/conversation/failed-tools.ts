import type { StoredSpan } from "../stored-span.ts";
import type { Conversation } from "./conversation.ts";

/**
 * Returns the number of failed tool calls whose own spans did not fail. Some senders mark the span of a failed tool call, and others
 * only say so in an attribute: with these, a failed call counts as one error either way.
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
