import { isHeardMeasure, MEASURES, type MeasureName } from "@svc/contract/constants";
import type { Conversation } from "../conversation/conversation.ts";
import * as calls from "./calls.ts";
import * as heard from "./heard.ts";
import * as interruptions from "./interruptions.ts";
import * as latency from "./latency.ts";
import { type MeasureResult, createMeasure, type Measure, type Sample } from "./measure.ts";
import type { LatencyRow } from "../summary-row.ts";
import { isPossibleSpeech, momentsOf, possibleResult } from "./plausible.ts";
import * as talk from "./talk.ts";
import { type Timeline, timelineOf } from "./timeline.ts";

const CALCULATE: Record<MeasureName, (timeline: Timeline) => MeasureResult> = {
  response_latency: latency.responseLatency,
  overlapped_answers: latency.overlappedAnswers,
  text_response_time: latency.textResponseTime,
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
  heard_response_latency: heard.responseLatency,
  heard_overlapped_answers: heard.overlappedAnswers,
  heard_first_sound: heard.firstSound,
  heard_yield_latency: heard.yieldLatency,
  heard_overlap_ratio: heard.overlapRatio,
  heard_talk_ratio: heard.talkRatio,
  heard_silence: heard.silence,
  heard_agent_loudness: heard.agentLoudness,
  heard_clipping: heard.clipping,
  heard_word_errors: heard.misheardWords,
};

const NEEDS_AUDIO = new Set<MeasureName>([
  "response_latency",
  "overlapped_answers",
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

/** The measures for which the times of words and of turns in a transcript are not exact enough. */
const NEEDS_EXACT_TIMES = new Set<MeasureName>([
  "end_of_utterance_delay",
  "unexplained_latency",
  "yield_latency",
  "tool_latency",
]);

export const measuresOf = (conversation: Conversation): Measure[] => readMeasures(conversation).measures;

export function readMeasures(conversation: Conversation): { measures: Measure[]; impossibleValues: number } {
  const belongs = momentsOf(conversation);
  const timeline = timelineOf(conversation, (period) => belongs(period.startNs) && isPossibleSpeech(period));
  let impossibleValues = 0;
  const measures = (Object.keys(MEASURES) as MeasureName[]).map((name) => {
    const calculated = calculate(name, timeline);
    const { result, impossible } = possibleResult(name, calculated, belongs, timeline.hasAllSpeech);
    impossibleValues += impossible;
    return withTiming(createMeasure(name, result), timeline);
  });
  return { measures, impossibleValues };
}

export function latencyOf(
  measures: readonly Measure[],
  wanted: "response_latency" | "text_response_time" = "response_latency",
): LatencyRow | null {
  const { provenance, summary } = measures.find(({ name }) => name === wanted)!;
  const { n, mean, max, p50, p95 } = summary;
  return provenance === "unavailable" ? null : { n, mean, max, p50, p95 };
}

export function interruptionsOf(measures: readonly Measure[]): number | null {
  const { provenance, summary } = measures.find(({ name }) => name === "user_interruptions")!;
  return provenance === "unavailable" ? null : summary.sum;
}

function calculate(name: MeasureName, timeline: Timeline): MeasureResult {
  if (timeline.lostSpans !== undefined) return { reason: "Spans of the conversation have lost their content." };
  if (isHeardMeasure(name)) {
    const reason = heard.unheardReason(name, timeline);
    return reason === null ? CALCULATE[name](timeline) : { reason };
  }
  if (timeline.vocabulary === null) return { reason: "No vocabulary reads these spans." };
  if (name === "text_response_time" && timeline.modality !== "text") {
    const spoken = timeline.modality === "voice";
    return {
      reason: spoken ? "The conversation was spoken, not typed." : "The spans do not show whether the user typed.",
    };
  }
  if (timeline.modality === "text" && NEEDS_AUDIO.has(name)) {
    return { reason: "The conversation was typed, not spoken." };
  }
  if (timeline.timing === "approximate" && NEEDS_EXACT_TIMES.has(name)) {
    return { reason: "The platform reports no exact times." };
  }
  const reported = timeline.callReport?.measures[name];
  if (reported === undefined) return CALCULATE[name](timeline);
  if (reported.values.length === 0) return { reported: reported.reported };
  return { samples: reported.values.map((value) => callSample(value, timeline)) };
}

function withTiming(measure: Measure, { timing }: Timeline): Measure {
  const isMeasured = ({ provenance }: Pick<Measure, "provenance">) => provenance === "measured";
  if (timing !== "approximate" || !(isMeasured(measure) || measure.samples.some(isMeasured))) return measure;
  const samples = measure.samples.map((sample) =>
    isMeasured(sample) ? { ...sample, provenance: "approximate" as const } : sample,
  );
  return { ...measure, provenance: "approximate", samples };
}

const callSample = (value: number, { session, ns }: Timeline): Sample => ({
  value,
  provenance: "provider_reported",
  turnIndex: null,
  atNs: session?.startNs ?? ns(0),
});
