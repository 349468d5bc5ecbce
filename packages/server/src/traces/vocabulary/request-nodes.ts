import { byStart, type SpanNode } from "../conversation/span-tree.ts";
import type { StoredSpan } from "../stored-span.ts";

type SpanTests = Record<"isRequest" | "isAgent" | "isTool", (span: StoredSpan) => boolean> & {
  agentNameOf: (span: StoredSpan) => string | null;
};

/**
 * `inTool` is true when a tool sends the request for its own use. The user does not hear the answer to such a request.
 */
type RequestNode = { node: SpanNode; inTool: boolean; agentName: string | null };

/**
 * Returns the requests to models, and agent spans without requests below them, for example of an agent that runs in another service. The
 * name of a request's agent is on its span, or on the closest span above it with such a name. `nodes` must have parents before children.
 */
export function requestNodes(
  nodes: readonly SpanNode[],
  { isRequest, isAgent, isTool, agentNameOf }: SpanTests,
): RequestNode[] {
  const inTool = new Map<SpanNode, boolean>();
  const agentName = new Map<SpanNode, string | null>();
  for (const node of nodes) {
    const { parent } = node;
    inTool.set(node, parent !== null && (inTool.get(parent)! || isTool(parent.span)));
    agentName.set(node, agentNameOf(node.span) ?? (parent === null ? null : agentName.get(parent)!));
  }
  const hasRequestBelow = (node: SpanNode) => node.children.some((child) => requesting.has(child));
  const requesting = new Set<SpanNode>();
  for (const node of nodes.toReversed()) {
    if (isRequest(node.span) || isAgent(node.span) || hasRequestBelow(node)) requesting.add(node);
  }
  return nodes
    .filter((node) => {
      if (isRequest(node.span)) return !node.children.some((child) => isRequest(child.span));
      return isAgent(node.span) && !hasRequestBelow(node);
    })
    .map((node) => ({ node, inTool: inTool.get(node)!, agentName: agentName.get(node)! }))
    .sort((a, b) => byStart(a.node.span, b.node.span));
}
