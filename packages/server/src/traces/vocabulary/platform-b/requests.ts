import type { SpanNode } from "../../span-tree.ts";
import type { SpanPosition } from "./span-positions.ts";

/** A request, and the pipeline node around it if that node contains no other request, so that its values apply to this one. */
export type RequestInStage = { request: SpanNode; stage: SpanNode | null };

/**
 * Returns the spans named `requestName` as requests, and each pipeline node without such a span as a request too: there
 * the agent's own code answers.
 */
export function requestsIn(
  nodes: readonly SpanNode[],
  positionOf: Map<SpanNode, SpanPosition>,
  stageName: string,
  requestName: string,
): RequestInStage[] {
  const requests = nodes.filter((node) => node.span.name === requestName);
  const countOf = new Map<SpanNode, number>();
  const stageOf = (request: SpanNode) => {
    const stage = positionOf.get(request)!.stage;
    return stage?.span.name === stageName ? stage : null;
  };
  for (const request of requests) {
    const stage = stageOf(request);
    if (stage !== null) countOf.set(stage, (countOf.get(stage) ?? 0) + 1);
  }
  const stagesWithoutRequest = nodes.filter((node) => node.span.name === stageName && !countOf.has(node));
  return [
    ...requests.map((request) => {
      const stage = stageOf(request);
      return { request, stage: stage !== null && countOf.get(stage) === 1 ? stage : null };
    }),
    ...stagesWithoutRequest.map((request) => ({ request, stage: null })),
  ];
}
