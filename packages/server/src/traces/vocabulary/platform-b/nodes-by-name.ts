import type { SpanNode } from "../../conversation/span-tree.ts";

/** Returns the nodes whose spans have the name, in the order of the tree. */
export type NodesByName = (name: string) => readonly SpanNode[];

/** Groups the nodes by name once, because many functions need the nodes of a few names. */
export function nodesByName(nodes: readonly SpanNode[]): NodesByName {
  const named = Map.groupBy(nodes, ({ span }) => span.name);
  return (name) => named.get(name) ?? [];
}
