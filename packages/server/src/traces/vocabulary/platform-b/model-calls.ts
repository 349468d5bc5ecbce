import type { SpanNode } from "../../span-tree.ts";
import { countOf, nameOf } from "../attribute-values.ts";
import type { ModelCall, OfTurn } from "../vocabulary.ts";
import { attemptsOf } from "./attempts.ts";
import { type CallMetrics, metricsOf } from "./call-metrics.ts";
import type { Place } from "./places.ts";
import { requestsIn, type RequestInStage } from "./requests.ts";
import type { StatedTimes } from "./stated-times.ts";

/** Requests to the language model, and the responses of realtime models. */
export function modelCalls(
  nodes: readonly SpanNode[],
  placeOf: Map<SpanNode, Place>,
  times: StatedTimes,
): OfTurn<ModelCall>[] {
  const call = ({ request, stage }: RequestInStage, metrics: CallMetrics): OfTurn<ModelCall> => ({
    ...modelCall(request, stage, metrics, times),
    turn: placeOf.get(request)!.turn,
  });
  return [
    ...requestsIn(nodes, placeOf, "llm_node", "llm_request").map((request) =>
      call(request, metricsOf(request.request, "lk.llm_metrics")),
    ),
    ...nodes.filter(isRealtime).map((request) => call({ request, stage: null }, realtimeMetrics(request))),
  ];
}

/** `realtime_metrics` hangs on `realtime_inference`, or stands alone in older versions. */
const isRealtime = ({ span, parent }: SpanNode): boolean =>
  span.name === "realtime_inference" ||
  (span.name === "realtime_metrics" && parent?.span.name !== "realtime_inference");

function realtimeMetrics(node: SpanNode): CallMetrics {
  const below = node.children.find((child) => child.span.name === "realtime_metrics");
  return metricsOf(below ?? node, "lk.realtime_model_metrics");
}

function modelCall(
  node: SpanNode,
  stage: SpanNode | null,
  metrics: CallMetrics,
  times: StatedTimes,
): Omit<OfTurn<ModelCall>, "turn"> {
  const { span } = node;
  const [own, around] = [span.attributes, stage?.span.attributes ?? {}];
  return {
    model: nameOf(own["gen_ai.request.model"]) ?? nameOf(around["gen_ai.request.model"]) ?? metrics.model(),
    provider: nameOf(own["gen_ai.provider.name"]) ?? nameOf(around["gen_ai.provider.name"]) ?? metrics.provider(),
    startNs: span.startNs,
    endNs: span.endNs,
    timeToFirstTokenMs:
      times.latencyMs(around["lk.response.ttft"]) ??
      times.latencyMs(own["lk.response.ttft"]) ??
      times.latencyMs(own["gen_ai.response.time_to_first_chunk"]) ??
      metrics.timeMs("ttft", "ttftMs"),
    ...tokensOf(own, metrics),
    ...attemptsOf(node),
    spanId: span.spanId,
  };
}

/** A request is never empty: 0 tokens of input are what is written when the model counts none. */
function tokensOf(own: Record<string, unknown>, metrics: CallMetrics) {
  const input =
    countOf([own["gen_ai.usage.input_tokens"]]) ??
    metrics.count("prompt_tokens", "promptTokens", "input_tokens", "inputTokens");
  const output =
    countOf([own["gen_ai.usage.output_tokens"]]) ??
    metrics.count("completion_tokens", "completionTokens", "output_tokens", "outputTokens");
  const cached =
    countOf([own["gen_ai.usage.cache_read.input_tokens"], own["gen_ai.usage.input_cached_tokens"]]) ??
    metrics.count("prompt_cached_tokens", "promptCachedTokens");
  return {
    inputTokens: input || null,
    cachedInputTokens: input ? cached : null,
    outputTokens: input ? output : output || null,
  };
}
