import type { SpanNode } from "../../conversation/span-tree.ts";
import { nameOf } from "../attribute-values.ts";
import type { DraftOf, SpeechCall } from "../vocabulary.ts";
import { attemptsOf } from "./attempts.ts";
import { metricsOf } from "./call-metrics.ts";
import type { NodesByName } from "./nodes-by-name.ts";
import type { SpanPosition } from "./span-positions.ts";
import { requestsIn, type RequestInStage } from "./requests.ts";
import type { TimeReader } from "./time-reader.ts";

/** Returns the requests to speech synthesis, and one recognition per user turn. Only the turn's span has values of the recognition. */
export function speechCalls(
  named: NodesByName,
  positionOf: Map<SpanNode, SpanPosition>,
  times: TimeReader,
): DraftOf<SpeechCall>[] {
  return [
    ...requestsIn(named, positionOf, "tts_node", "tts_request").map((request) => synthesis(request, positionOf, times)),
    ...named("user_turn").flatMap((node) => recognition(node, positionOf)),
  ];
}

function synthesis(
  { request, stage }: RequestInStage,
  positionOf: Map<SpanNode, SpanPosition>,
  times: TimeReader,
): DraftOf<SpeechCall> {
  const { span } = request;
  const [own, around] = [span.attributes, stage?.span.attributes ?? {}];
  const metrics = metricsOf(request, "lk.tts_metrics");
  const attempts = attemptsOf(request);
  return {
    kind: "tts",
    model: nameOf(own["gen_ai.request.model"]) ?? nameOf(around["gen_ai.request.model"]) ?? metrics.model(),
    provider: nameOf(own["gen_ai.provider.name"]) ?? nameOf(around["gen_ai.provider.name"]) ?? metrics.provider(),
    startNs: span.startNs,
    endNs: span.endNs,
    timeToFirstByteMs:
      times.latencyMs(around["lk.response.ttfb"]) ??
      times.latencyMs(own["lk.response.ttfb"]) ??
      metrics.timeMs("ttfb", "ttfbMs"),
    characters: metrics.count("characters_count", "charactersCount") || null,
    audioMs: metrics.timeMs("audio_duration", "audioDurationMs"),
    isError: attempts.isError,
    error: attempts.error,
    turn: positionOf.get(request)!.turn,
    spanId: span.spanId,
  };
}

function recognition(node: SpanNode, positionOf: Map<SpanNode, SpanPosition>): DraftOf<SpeechCall>[] {
  const { span } = node;
  const turn = positionOf.get(node)!.turn;
  const model = nameOf(span.attributes["gen_ai.request.model"]);
  const provider = nameOf(span.attributes["gen_ai.provider.name"]);
  if (turn === null || (model === null && provider === null)) return [];
  const unknown = { timeToFirstByteMs: null, characters: null, audioMs: null, isError: null, error: null };
  return [
    { kind: "stt", model, provider, startNs: span.startNs, endNs: span.endNs, ...unknown, turn, spanId: span.spanId },
  ];
}
