import type { SpanNode } from "../span-tree.ts";
import type { StoredSpan } from "../stored-span.ts";
import type { Reading } from "./vocabulary.ts";

/** The one root that holds all the conversation's spans, when it is not a request itself. */
export function sessionOf(roots: readonly SpanNode[], requests: ReadonlySet<StoredSpan>): Reading["session"] {
  const [root, other] = roots;
  if (root === undefined || other !== undefined || root.span.parentSpanId !== null || requests.has(root.span))
    return null;
  return { startNs: root.span.startNs, endNs: root.span.endNs };
}
