import type { SpanNode } from "../../conversation/span-tree.ts";
import { fallbacksOf } from "./fallback.ts";
import type { NodesByName } from "./nodes-by-name.ts";
import type { SpanPosition } from "./span-positions.ts";

/**
 * A request to a provider. `stage` is the pipeline node that contains the request; null when the node also contains other requests or a
 * fallback adapter, because the values of the node then do not describe this request. `adapter` is the fallback adapter that made the
 * request; null when no adapter made it, or when it is not the last request of the adapter.
 */
export type RequestInStage = { request: SpanNode; stage: SpanNode | null; adapter: SpanNode | null };

/**
 * Returns the requests of one kind. A pipeline node without a span named `requestName` also counts as a request, because the agent's own
 * code answers there. Leaves out the probes of fallback adapters, which only check whether a failed provider works again.
 */
export function requestsIn(
  named: NodesByName,
  positionOf: Map<SpanNode, SpanPosition>,
  stageName: string,
  requestName: string,
): RequestInStage[] {
  const all = named(requestName);
  const fallbacks = fallbacksOf(all);
  const requests = all.filter((request) => !fallbacks.isProbe(request));
  const countOf = new Map<SpanNode, number>();
  const stageOf = (request: SpanNode) => {
    const stage = positionOf.get(request)!.stage;
    return stage?.span.name === stageName ? stage : null;
  };
  for (const request of requests) {
    const stage = stageOf(request);
    if (stage !== null) countOf.set(stage, (countOf.get(stage) ?? 0) + 1);
  }
  const stagesWithoutRequest = named(stageName).filter((node) => !countOf.has(node));
  return [
    ...requests.map((request) => {
      const stage = stageOf(request);
      const isOnly = stage !== null && countOf.get(stage) === 1 && fallbacks.adapterOf(request) === null;
      const adapter = fallbacks.isLast(request) ? fallbacks.adapterOf(request) : null;
      return { request, stage: isOnly ? stage : null, adapter };
    }),
    ...stagesWithoutRequest.map((request) => ({ request, stage: null, adapter: null })),
  ];
}
