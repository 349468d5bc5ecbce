import type { SpanNode } from "../conversation/span-tree.ts";
import type { StoredSpan } from "../stored-span.ts";
import type { ConversationDraft } from "./vocabulary.ts";

/** Returns the times of the span that covers the whole conversation; null when this span has not arrived. */
export const sessionOf = (span: StoredSpan | undefined): ConversationDraft["session"] =>
  span === undefined ? null : { startNs: span.startNs, endNs: span.endNs };

export function sessionOfRoot(
  roots: readonly SpanNode[],
  requests: ReadonlySet<StoredSpan>,
): ConversationDraft["session"] {
  const [root, other] = roots;
  const isSession =
    root !== undefined && other === undefined && root.span.parentSpanId === null && !requests.has(root.span);
  return isSession ? sessionOf(root.span) : null;
}
