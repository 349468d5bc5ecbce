import type { SpanNode } from "../../conversation/span-tree.ts";
import { countOf, nameOf } from "../attribute-values.ts";
import type { ModelCall, DraftOf } from "../vocabulary.ts";
import { attemptsOf, retriesOf } from "./attempts.ts";
import { type CallMetrics, metricsOf } from "./call-metrics.ts";
import type { NodesByName } from "./nodes-by-name.ts";
import type { SpanPosition } from "./span-positions.ts";
import { requestsIn, type RequestInStage } from "./requests.ts";
import type { TimeReader } from "./time-reader.ts";

export function modelCalls(
  named: NodesByName,
  positionOf: Map<SpanNode, SpanPosition>,
  times: TimeReader,
): DraftOf<ModelCall>[] {
  const call = (request: RequestInStage, metrics: CallMetrics): DraftOf<ModelCall> => ({
    ...modelCall(request, metrics, times),
    turn: positionOf.get(request.request)!.turn,
  });
  return [
    ...requestsIn(named, positionOf, "llm_node", "llm_request").map((request) =>
      call(request, metricsOf(request.request, "lk.llm_metrics")),
    ),
    ...[...named("realtime_inference"), ...named("realtime_metrics").filter(isAlone)].map((request) =>
      call({ request, stage: null, adapter: null }, realtimeMetrics(request)),
    ),
  ];
}

/** Returns whether a `realtime_metrics` span is from an older version, in which its parent is not `realtime_inference`. */
const isAlone = ({ parent }: SpanNode): boolean => parent?.span.name !== "realtime_inference";

function realtimeMetrics(node: SpanNode): CallMetrics {
  const child = node.children.find(({ span }) => span.name === "realtime_metrics");
  return metricsOf(child ?? node, "lk.realtime_model_metrics");
}

/**
 * The call of a fallback adapter's last request starts when the adapter starts. Its time to the first token therefore
 * includes the failed requests before the last request, and its retries include the retries of the adapter.
 */
function modelCall(
  { request: node, stage, adapter }: RequestInStage,
  metrics: CallMetrics,
  times: TimeReader,
): Omit<DraftOf<ModelCall>, "turn"> {
  const { span } = node;
  const [own, around] = [span.attributes, stage?.span.attributes ?? {}];
  const attempts = attemptsOf(node);
  const adapterRetries = adapter === null ? 0 : retriesOf(adapter);
  const waitedMs = adapter === null ? 0 : Math.max(0, Number(span.startNs - adapter.span.startNs) / 1e6);
  const firstTokenMs =
    times.latencyMs(around["lk.response.ttft"]) ??
    times.latencyMs(own["lk.response.ttft"]) ??
    times.latencyMs(own["gen_ai.response.time_to_first_chunk"]) ??
    metrics.timeMs("ttft", "ttftMs");
  return {
    model: nameOf(own["gen_ai.request.model"]) ?? nameOf(around["gen_ai.request.model"]) ?? metrics.model(),
    provider: nameOf(own["gen_ai.provider.name"]) ?? nameOf(around["gen_ai.provider.name"]) ?? metrics.provider(),
    startNs: waitedMs > 0 ? adapter!.span.startNs : span.startNs,
    endNs: span.endNs,
    timeToFirstTokenMs: firstTokenMs === null ? null : waitedMs + firstTokenMs,
    ...tokensOf(own, metrics),
    ...attempts,
    retries: adapterRetries > 0 ? (attempts.retries ?? 0) + adapterRetries : attempts.retries,
    spanId: span.spanId,
  };
}

/** A request is never empty, so 0 input tokens mean unknown. */
function tokensOf(own: Record<string, unknown>, metrics: CallMetrics) {
  const input =
    countOf([own["gen_ai.usage.input_tokens"]]) ??
    metrics.count("prompt_tokens", "promptTokens", "input_tokens", "inputTokens");
  const output =
    countOf([own["gen_ai.usage.output_tokens"]]) ??
    metrics.count("completion_tokens", "completionTokens", "output_tokens", "outputTokens");
  const cached = () =>
    countOf([own["gen_ai.usage.cache_read.input_tokens"], own["gen_ai.usage.input_cached_tokens"]]) ??
    metrics.count("prompt_cached_tokens", "promptCachedTokens");
  return {
    inputTokens: input || null,
    cachedInputTokens: input ? cached() : null,
    outputTokens: input ? output : output || null,
  };
}
