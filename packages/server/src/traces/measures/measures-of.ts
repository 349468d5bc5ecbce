import { MEASURES, type MeasureName } from "@svc/contract/constants";
import type { Conversation } from "../conversation.ts";
import * as calls from "./calls.ts";
import * as interruptions from "./interruptions.ts";
import * as latency from "./latency.ts";
import { type Found, type Measure, measure, type Sample } from "./measure.ts";
import type { LatencyRow } from "../summary-row.ts";
import * as talk from "./talk.ts";
import { type Timeline, timelineOf } from "./timeline.ts";

const FINDERS: Record<MeasureName, (timeline: Timeline) => Found> = {
  response_latency: latency.responseLatency,
  end_of_utterance_delay: latency.endOfUtteranceDelay,
  transcription_delay: latency.transcriptionDelay,
  llm_time_to_first_token: calls.llmTimeToFirstToken,
  tts_time_to_first_byte: calls.ttsTimeToFirstByte,
  unexplained_latency: latency.unexplainedLatency,
  greeting_latency: latency.greetingLatency,
  user_interruptions: interruptions.userInterruptions,
  yield_latency: interruptions.yieldLatency,
  agent_interruptions: interruptions.agentInterruptions,
  overlap_ratio: talk.overlapRatio,
  talk_ratio: talk.talkRatio,
  silence: talk.silence,
  unanswered_turns: talk.unansweredTurns,
  words_per_minute: talk.wordsPerMinute,
  tool_latency: calls.toolLatency,
  tool_errors: calls.toolErrors,
  llm_errors: calls.llmErrors,
  llm_retries: calls.llmRetries,
  input_tokens: calls.inputTokens,
  cached_input_tokens: calls.cachedInputTokens,
  output_tokens: calls.outputTokens,
};

const NEEDS_AUDIO = new Set<MeasureName>([
  "response_latency",
  "end_of_utterance_delay",
  "transcription_delay",
  "unexplained_latency",
  "greeting_latency",
  "user_interruptions",
  "yield_latency",
  "agent_interruptions",
  "overlap_ratio",
  "talk_ratio",
  "silence",
  "words_per_minute",
  "tts_time_to_first_byte",
]);

/** The times of words, and the order of a transcript, are not enough for these. */
const NEEDS_EXACT_TIMES = new Set<MeasureName>([
  "end_of_utterance_delay",
  "unexplained_latency",
  "yield_latency",
  "tool_latency",
]);

/** Every measure of `MEASURES`, in its order, of production and simulation alike; what is not known is unavailable. */
export function measuresOf(conversation: Conversation): Measure[] {
  const timeline = timelineOf(conversation);
  return (Object.keys(MEASURES) as MeasureName[]).map((name) => trusted(measure(name, find(name, timeline)), timeline));
}

/** What a list tells of the response latency; null when it is not known of any answer. */
export function latencyOf(measures: readonly Measure[]): LatencyRow | null {
  const { provenance, summary } = measures.find(({ name }) => name === "response_latency")!;
  const { n, mean, max, p50, p95 } = summary;
  return provenance === "unavailable" ? null : { n, mean, max, p50, p95 };
}

function find(name: MeasureName, timeline: Timeline): Found {
  if (timeline.vocabulary === null) return { reason: "The spans are in no vocabulary that is read." };
  if (timeline.modality === "text" && NEEDS_AUDIO.has(name))
    return { reason: "The conversation was typed, not spoken." };
  if (timeline.timing === "approximate" && NEEDS_EXACT_TIMES.has(name))
    return { reason: "The platform tells no exact times." };
  const stated = timeline.callReport?.latencies[name];
  return stated === undefined ? FINDERS[name](timeline) : { samples: stated.map((value) => ofCall(value, timeline)) };
}

/** What is measured between approximate times is approximate. */
function trusted(measure: Measure, { timing }: Timeline): Measure {
  const isMeasured = ({ provenance }: Pick<Measure, "provenance">) => provenance === "measured";
  if (timing !== "approximate" || !(isMeasured(measure) || measure.samples.some(isMeasured))) return measure;
  const samples = measure.samples.map((sample) =>
    isMeasured(sample) ? { ...sample, provenance: "approximate" as const } : sample,
  );
  return { ...measure, provenance: "approximate", samples };
}

/** A value that the platform states without the turn that it is of. */
const ofCall = (value: number, { session, ns }: Timeline): Sample => ({
  value,
  provenance: "provider_reported",
  turnIndex: null,
  atNs: session?.startNs ?? ns(0),
});
