import type { StoredSpan } from "../stored-span.ts";
import type { Conversation } from "./conversation.ts";

/**
 * Some senders set the error status on the span of a failed tool call, and others only set an attribute. This number
 * plus the number of failed spans counts each failed call once.
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
