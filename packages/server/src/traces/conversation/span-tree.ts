import type { StoredSpan } from "../stored-span.ts";

export type SpanNode = { span: StoredSpan; parent: SpanNode | null; depth: number; children: SpanNode[] };

/**
 * Returns the roots of the span tree. A span whose parent has not arrived is a root. If parents form a circle, the earliest span of the
 * circle is a root. Every span is in the result. Deep chains of parents do not overflow the stack.
 */
export function spanTree(spans: readonly StoredSpan[]): SpanNode[] {
  const nodes = inOrder(spans).map((span): SpanNode => ({ span, parent: null, depth: 0, children: [] }));
  const keyOf = spanKeys(spans);
  const byId = new Map<string, SpanNode>();
  for (const node of nodes) {
    const key = keyOf(node.span.traceId, node.span.spanId);
    if (!byId.has(key)) byId.set(key, node);
  }
  for (const node of nodes) {
    const { traceId, parentSpanId } = node.span;
    if (parentSpanId !== null) node.parent = byId.get(keyOf(traceId, parentSpanId)) ?? null;
  }
  cutCircles(nodes);
  const roots: SpanNode[] = [];
  for (const node of nodes) (node.parent?.children ?? roots).push(node);
  for (const node of preOrder(roots)) node.depth = node.parent === null ? 0 : node.parent.depth + 1;
  return roots;
}

export function preOrder(roots: readonly SpanNode[]): SpanNode[] {
  const ordered: SpanNode[] = [];
  const waiting = roots.toReversed();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    ordered.push(node);
    for (let child = node.children.length - 1; child >= 0; child--) waiting.push(node.children[child]!);
  }
  return ordered;
}

/**
 * Returns a function that gives each span a unique key. If all spans belong to one trace, as in most conversations, the key is the span id
 * alone.
 */
export function spanKeys(spans: readonly StoredSpan[]): (traceId: string, spanId: string) => string {
  const first = spans[0]?.traceId;
  return spans.every(({ traceId }) => traceId === first)
    ? (_, spanId) => spanId
    : (traceId, spanId) => traceId + spanId;
}

/** Returns the same list if it is already in order. */
export function inOrder(spans: readonly StoredSpan[]): readonly StoredSpan[] {
  for (let at = 1; at < spans.length; at++) {
    if (byStart(spans[at - 1]!, spans[at]!) > 0) return spans.toSorted(byStart);
  }
  return spans;
}

/** Compares spans by start, and spans with the same start by id, so that the order of arrival has no effect. */
export function byStart(a: StoredSpan, b: StoredSpan): number {
  if (a.startNs !== b.startNs) return a.startNs < b.startNs ? -1 : 1;
  if (a.spanId !== b.spanId) return a.spanId < b.spanId ? -1 : 1;
  return a.traceId === b.traceId ? 0 : a.traceId < b.traceId ? -1 : 1;
}

function cutCircles(nodes: readonly SpanNode[]): void {
  const walkOf = new Map<SpanNode, number>();
  nodes.forEach((start, walk) => {
    if (walkOf.has(start)) return;
    let node: SpanNode | null = start;
    while (node !== null && !walkOf.has(node)) {
      walkOf.set(node, walk);
      node = node.parent;
    }
    if (node !== null && walkOf.get(node) === walk) earliestOfCircle(node).parent = null;
  });
}

function earliestOfCircle(member: SpanNode): SpanNode {
  let earliest = member;
  for (let node = member.parent!; node !== member; node = node.parent!) {
    if (byStart(node.span, earliest.span) < 0) earliest = node;
  }
  return earliest;
}
