import type { StoredSpan } from "./stored-span.ts";

export type SpanNode = { span: StoredSpan; parent: SpanNode | null; depth: number; children: SpanNode[] };

/**
 * Returns the root spans with their children, by start. A span without a received parent is a root, and so is the earliest
 * span of a cycle of parents. Keeps every span, and does not recurse, so that the depth has no limit.
 */
export function spanTree(spans: readonly StoredSpan[]): SpanNode[] {
  const nodes = [...spans].sort(byStart).map((span): SpanNode => ({ span, parent: null, depth: 0, children: [] }));
  const byId = new Map<string, SpanNode>();
  for (const node of nodes) {
    const key = spanKey(node.span);
    if (!byId.has(key)) byId.set(key, node);
  }
  for (const node of nodes) {
    const { traceId, parentSpanId } = node.span;
    if (parentSpanId !== null) node.parent = byId.get(traceId + parentSpanId) ?? null;
  }
  cutCycles(nodes);
  const roots: SpanNode[] = [];
  for (const node of nodes) (node.parent?.children ?? roots).push(node);
  for (const node of preOrder(roots)) node.depth = node.parent === null ? 0 : node.parent.depth + 1;
  return roots;
}

/** Returns all nodes, each parent before its children. */
export function preOrder(roots: readonly SpanNode[]): SpanNode[] {
  const ordered: SpanNode[] = [];
  const waiting = roots.toReversed();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    ordered.push(node);
    for (let child = node.children.length - 1; child >= 0; child--) waiting.push(node.children[child]!);
  }
  return ordered;
}

/** Returns a key of the span that is unique across traces. */
export const spanKey = (span: StoredSpan): string => span.traceId + span.spanId;

/** Compares spans by start, then by id, so that the order of arrival does not matter. */
export function byStart(a: StoredSpan, b: StoredSpan): number {
  if (a.startNs !== b.startNs) return a.startNs < b.startNs ? -1 : 1;
  if (a.spanId !== b.spanId) return a.spanId < b.spanId ? -1 : 1;
  return a.traceId === b.traceId ? 0 : a.traceId < b.traceId ? -1 : 1;
}

function cutCycles(nodes: readonly SpanNode[]): void {
  const walkOf = new Map<SpanNode, number>();
  nodes.forEach((start, walk) => {
    if (walkOf.has(start)) return;
    let node: SpanNode | null = start;
    while (node !== null && !walkOf.has(node)) {
      walkOf.set(node, walk);
      node = node.parent;
    }
    if (node !== null && walkOf.get(node) === walk) earliestOfCycle(node).parent = null;
  });
}

function earliestOfCycle(member: SpanNode): SpanNode {
  let earliest = member;
  for (let node = member.parent!; node !== member; node = node.parent!) {
    if (byStart(node.span, earliest.span) < 0) earliest = node;
  }
  return earliest;
}
