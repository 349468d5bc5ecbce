import { heardOr } from "./call-sound.ts";
import { isWordless, SAME_SPEECH_MS } from "./absence.ts";
import type { Evidence } from "./evidence.ts";

export type ResponseTimes = {
  times: { turn: number | null; ms: number }[]; // `turn` is a turn of the agent; null if unknown
  missing: number; // number of answers without a known time
  overlapped: (number | null)[]; // the agent's turns that start before the caller has finished; they have no response time
  unanswered: number[]; // the caller's turns without an answer
  source: string; // source of the times, as the end of a sentence; empty for typed conversations
  reason: string | null;
};

/**
 * Returns the agent's response times. In a simulated call with sound, these are the times that the caller hears. In a typed conversation,
 * they are the measured text response times or, if these are unavailable, the times between the turns. In any other conversation, they are
 * the measured response latency. With `onlyHeard`, the function returns only times that the caller hears.
 */
export function responseTimes(evidence: Evidence, onlyHeard = false): ResponseTimes {
  if (evidence.unreliableTimes !== undefined)
    return { times: [], missing: 0, overlapped: [], unanswered: [], source: "", reason: evidence.unreliableTimes };
  const isTyped = evidence.modality === "text" && !onlyHeard;
  const { measure, source } = isTyped
    ? { measure: evidence.measures.text_response_time, source: "" }
    : heardOr(evidence, "response_latency", "heard_response_latency", onlyHeard);
  const { provenance, samples, missing, reason } = measure;
  const unanswered = unansweredTurns(evidence);
  const overlapped = isTyped ? [] : overlappedAnswers(evidence, onlyHeard);
  if (provenance !== "unavailable")
    return {
      times: samples.map(({ value, turn }) => ({ turn, ms: value })),
      missing,
      overlapped,
      unanswered,
      source,
      reason: null,
    };
  if (isTyped) return { ...timesOfTurns(evidence), overlapped, unanswered, source };
  return { times: [], missing: answers(evidence).length, overlapped, unanswered, source, reason };
}

export const overlappedAnswers = (evidence: Evidence, onlyHeard = false): (number | null)[] =>
  heardOr(evidence, "overlapped_answers", "heard_overlapped_answers", onlyHeard).measure.samples.flatMap(
    ({ value, turn }) => (value === 0 ? [] : [turn]),
  );

function timesOfTurns(evidence: Evidence) {
  const spans = answers(evidence).map(({ callerTurn, agentTurn }) => {
    const { endMs } = evidence.turns[agentTurn]!;
    return { turn: agentTurn, ms: endMs === null ? null : endMs - evidence.turns[callerTurn]!.startMs };
  });
  const times = spans.flatMap(({ turn, ms }) => (ms === null ? [] : { turn, ms }));
  const reason = times.length === 0 && spans.length > 0 ? "No answer has a known end." : null;
  return { times, missing: spans.length - times.length, reason };
}

function answers({ turns }: Evidence): { callerTurn: number; agentTurn: number }[] {
  const pairs: { callerTurn: number; agentTurn: number }[] = [];
  for (let at = 1; at < turns.length; at++) {
    if (turns[at]!.speaker === "agent" && turns[at - 1]!.speaker === "caller")
      pairs.push({ callerTurn: at - 1, agentTurn: at });
  }
  return pairs;
}

/**
 * Returns the caller's turns without an answer. Turns of the agent without words are no answer. Two parts of one turn of the caller that
 * speech recognition split count as one turn.
 */
export function unansweredTurns(evidence: Evidence): number[] {
  const { turns, measures, modality } = evidence;
  return measures.unanswered_turns.samples.flatMap(({ value, turn }) => {
    const next = turn === null ? undefined : turns[turn + 1];
    if (turn === null || next === undefined) return [];
    if (value === 0) return hasWordlessAnswer(evidence, turn) ? [turn] : [];
    const pauseMs = next.startMs - (turns[turn]!.endMs ?? turns[turn]!.startMs);
    return modality !== "text" && next.speaker === "caller" && pauseMs < SAME_SPEECH_MS ? [] : [turn];
  });
}

function hasWordlessAnswer(evidence: Evidence, turn: number): boolean {
  const { turns } = evidence;
  const next = turns.findIndex(({ speaker }, at) => at > turn && speaker === "caller");
  const answer = turns.slice(turn + 1, next < 0 ? undefined : next);
  return answer.length > 0 && answer.every((_, at) => isWordless(evidence, turn + 1 + at));
}
