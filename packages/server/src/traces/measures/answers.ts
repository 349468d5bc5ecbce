import type { Turn } from "../conversation/conversation.ts";
import type { MeasureResult, Sample } from "./measure.ts";
import type { Timeline } from "./timeline.ts";

/** A user turn, and the first audible agent turn after it. A greeting is not an answer. */
type AnsweredTurn = { question: Turn; reply: Turn; latency: Sample | null };

const answersOf = new WeakMap<Timeline, readonly AnsweredTurn[]>(); // several measures use them

export function answeredTurns(timeline: Timeline): readonly AnsweredTurn[] {
  const known = answersOf.get(timeline);
  if (known !== undefined) return known;
  const answered = findAnsweredTurns(timeline);
  answersOf.set(timeline, answered);
  return answered;
}

function findAnsweredTurns(timeline: Timeline): AnsweredTurn[] {
  const answered: AnsweredTurn[] = [];
  let question: Turn | null = null;
  for (const turn of timeline.turns) {
    if (turn.role === "user") question = turn;
    else if (turn.role === "third_party") question = null;
    else if (question !== null && isAudible(turn, timeline)) {
      answered.push({ question, reply: turn, latency: latency(question, turn, timeline) });
      question = null;
    }
  }
  return answered;
}

const isAudible = (turn: Turn, timeline: Timeline) =>
  timeline.speechOf(turn).length > 0 || typeof timeline.reportOf(turn)?.responseLatencyMs === "number";

function latency(question: Turn, reply: Turn, timeline: Timeline): Sample | null {
  const at = { turnIndex: reply.index, atNs: reply.startNs };
  const reported = timeline.reportOf(reply)?.responseLatencyMs ?? null;
  if (reported !== null) return possible({ ...at, value: reported, provenance: "provider_reported" });
  const audioMs = timeline.speechOf(reply)[0]?.startMs;
  const speechEnd = audioMs === undefined ? null : endOfSpeech(question, audioMs, timeline);
  return speechEnd && possible({ ...at, value: audioMs! - speechEnd.ms, provenance: speechEnd.provenance });
}

/** An agent may start to answer before the user's speech ends, but speech that starts over a minute earlier is not an answer. */
const EARLY_MAX_MS = 60 * 1000;

const possible = (sample: Sample): Sample | null => (sample.value < -EARLY_MAX_MS ? null : sample);

/** Prefers the end that the platform reports, because a voice detector reports the end of speech too late. */
function endOfSpeech(question: Turn, beforeMs: number, timeline: Timeline) {
  const delayMs = timeline.reportOf(question)?.endOfUtteranceDelayMs ?? null;
  if (delayMs !== null && question.endNs !== null) {
    return { ms: timeline.ms(question.endNs) - delayMs, provenance: "provider_reported" as const };
  }
  const ends = timeline.speechOf(question).flatMap((speech) => (speech.startMs < beforeMs ? speech.endMs : []));
  if (ends.length === 0) return null;
  return { ms: ends.reduce((a, b) => Math.max(a, b)), provenance: "measured" as const };
}

const ALL_OVERLAPPED = "The agent started each of its answers before the caller had ended.";

export const isOverlapped = ({ value }: Pick<Sample, "value">): boolean => value < 0;

export function withoutOverlapped(times: MeasureResult): MeasureResult {
  if (!("samples" in times)) return times;
  const samples = times.samples.filter((sample) => !isOverlapped(sample));
  return samples.length === 0 ? { reason: ALL_OVERLAPPED } : { ...times, samples };
}

export const overlapsOf = (times: MeasureResult): MeasureResult =>
  "samples" in times
    ? { ...times, samples: times.samples.map((sample) => ({ ...sample, value: isOverlapped(sample) ? 1 : 0 })) }
    : times;
