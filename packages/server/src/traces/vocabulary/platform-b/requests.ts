import type { SpanNode } from "../../span-tree.ts";
import type { Place } from "./places.ts";

/** A request, and the pipeline's node around it when what the node states is of this request alone. */
export type RequestInStage = { request: SpanNode; stage: SpanNode | null };

/** Requests of one name; a node of the pipeline that made none is its own, as where an agent's own code answers. */
export function requestsIn(
  nodes: readonly SpanNode[],
  placeOf: Map<SpanNode, Place>,
  stageName: string,
  requestName: string,
): RequestInStage[] {
  const requests = nodes.filter((node) => node.span.name === requestName);
  const countOf = new Map<SpanNode, number>();
  const stageOf = (request: SpanNode) => {
    const stage = placeOf.get(request)!.stage;
    return stage?.span.name === stageName ? stage : null;
  };
  for (const request of requests) {
    const stage = stageOf(request);
    if (stage !== null) countOf.set(stage, (countOf.get(stage) ?? 0) + 1);
  }
  const idle = nodes.filter((node) => node.span.name === stageName && !countOf.has(node));
  return [
    ...requests.map((request) => {
      const stage = stageOf(request);
      return { request, stage: stage !== null && countOf.get(stage) === 1 ? stage : null };
    }),
    ...idle.map((request) => ({ request, stage: null })),
  ];
}
