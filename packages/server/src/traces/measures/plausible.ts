import { MEASURES, type MeasureName, type Unit } from "@svc/contract/constants";
import type { Conversation } from "../conversation/conversation.ts";
import type { StoredSpan } from "../stored-span.ts";
import type { MeasureResult, Sample } from "./measure.ts";

// A wrong clock, an end time that was sent as zero, or a sender's bug gives impossible times. One such value would distort a
// mean, so it counts as unknown.

const HOUR_MS = 60 * 60 * 1000;
/** Longest possible conversation. Platforms end calls after some hours. A restarted worker may send spans for up to a day. */
const CONVERSATION_MAX_MS = 24 * HOUR_MS;
/** Longest possible time of a measure. Within one turn, no party waits, speaks or lets a tool run for longer than an hour. */
const TIME_MAX_MS = HOUR_MS;
/** Parts of a latency may run at the same time, so their sum may exceed the latency, but by at most this time. */
const OVERLAP_MAX_MS = 60 * 1000;

/** The level of digital silence. */
const LOWEST_DBFS = -120;

/**
 * The largest possible value of each unit. Auctioneers speak 400 words a minute, the largest context has 10 million tokens, and
 * an hour of sound has 58 million samples, which may all be clipped.
 */
const LARGEST: Record<Unit, number> = {
  ms: TIME_MAX_MS,
  ratio: 1,
  count: 1e8,
  "words/min": 1_000,
  tokens: 1e9,
  dBFS: 0,
};

/** Measures over all speech of the conversation. One impossible period of speech makes these measures unknown. */
const NEEDS_ALL_SPEECH = new Set<MeasureName>(["overlap_ratio", "talk_ratio", "silence"]);

const IMPOSSIBLE = "The times in the spans are impossible; check the sender's clocks.";

function isPossibleValue(name: MeasureName, value: number): boolean {
  const { unit } = MEASURES[name];
  const least = name === "unexplained_latency" ? -OVERLAP_MAX_MS : unit === "dBFS" ? LOWEST_DBFS : 0;
  return value >= least && value <= LARGEST[unit];
}

export function possibleDurationMs(startNs: bigint, endNs: bigint | null): number | null {
  const ms = endNs === null ? null : Number(endNs - startNs) / 1e6;
  return ms === null || ms < 0 || ms > CONVERSATION_MAX_MS ? null : ms;
}

/** Returns a function that tells whether a time can belong to the conversation: it must be within a day of the median start time. */
export function momentsOf({ session, ...items }: Conversation): (ns: bigint) => boolean {
  const { turns, toolCalls, modelCalls, speechCalls, userSpeech, agentSpeech } = items;
  const timed = [turns, toolCalls, modelCalls, speechCalls, userSpeech, agentSpeech].flat();
  return nearMedian([...(session === null ? [] : [session]), ...timed].map(({ startNs }) => startNs));
}

function nearMedian(starts: readonly bigint[]): (ns: bigint) => boolean {
  const median = BigInt64Array.from(starts).sort()[starts.length >> 1] ?? 0n;
  const within = BigInt(CONVERSATION_MAX_MS) * 1_000_000n;
  const [first, last] = [median - within, median + within];
  return (ns) => ns >= first && ns <= last;
}

export function impossibleSpans(spans: readonly StoredSpan[]): number {
  const belongs = nearMedian(spans.map(({ startNs }) => startNs));
  const isWrong = ({ startNs, endNs }: StoredSpan) =>
    !belongs(startNs) || (endNs !== null && possibleDurationMs(startNs, endNs) === null);
  return spans.filter(isWrong).length;
}

export const isPossibleSpeech = ({ startNs, endNs }: { startNs: bigint; endNs: bigint }): boolean =>
  endNs >= startNs && Number(endNs - startNs) / 1e6 <= TIME_MAX_MS;

/** Impossible values are left out and count as missing. */
export function possibleResult(
  name: MeasureName,
  result: MeasureResult,
  belongs: (ns: bigint) => boolean,
  allSpeechIsPossible: boolean,
): { result: MeasureResult; impossible: number } {
  if ("reason" in result) return { result, impossible: 0 };
  if (NEEDS_ALL_SPEECH.has(name) && !allSpeechIsPossible) return { result: { reason: IMPOSSIBLE }, impossible: 1 };
  if ("reported" in result) {
    const { min, max, p50, p95 } = result.reported;
    const isWrong = [min, max, p50, p95].some((value) => value !== null && !isPossibleValue(name, value));
    return isWrong ? { result: { reason: IMPOSSIBLE }, impossible: 1 } : { result, impossible: 0 };
  }
  const isPossible = ({ value, atNs }: Sample) => isPossibleValue(name, value) && belongs(atNs);
  const samples = result.samples.filter(isPossible);
  const impossible = result.samples.length - samples.length;
  if (impossible === 0) return { result, impossible };
  if (samples.length === 0) return { result: { reason: IMPOSSIBLE }, impossible };
  return { result: { samples, missing: (result.missing ?? 0) + impossible }, impossible };
}
