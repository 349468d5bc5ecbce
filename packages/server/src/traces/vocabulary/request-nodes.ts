import { byStart, type SpanNode } from "../span-tree.ts";
import type { StoredSpan } from "../stored-span.ts";

type Kinds = Record<"isRequest" | "isAgent" | "isTool", (span: StoredSpan) => boolean>;

/** A span that asks a model; in a tool it asks for the tool's own purpose, which is not said to the user. */
type RequestNode = { node: SpanNode; inTool: boolean };

/**
 * By start: the requests, and the agents that made none that is seen, as where the agent runs elsewhere. `nodes` has
 * parents before children.
 */
export function requestNodes(nodes: readonly SpanNode[], { isRequest, isAgent, isTool }: Kinds): RequestNode[] {
  const inTool = new Map<SpanNode, boolean>();
  for (const node of nodes) {
    const { parent } = node;
    inTool.set(node, parent !== null && (inTool.get(parent)! || isTool(parent.span)));
  }
  const asksBelow = (node: SpanNode) => node.children.some((child) => asking.has(child));
  const asking = new Set<SpanNode>();
  for (const node of nodes.toReversed()) {
    if (isRequest(node.span) || isAgent(node.span) || asksBelow(node)) asking.add(node);
  }
  return nodes
    .filter((node) => {
      if (isRequest(node.span)) return !node.children.some((child) => isRequest(child.span));
      return isAgent(node.span) && !asksBelow(node);
    })
    .map((node) => ({ node, inTool: inTool.get(node)! }))
    .sort((a, b) => byStart(a.node.span, b.node.span));
}
