import type { Evidence } from "./evidence.ts";

export type ResponseTimes = {
  times: { turn: number | null; ms: number }[]; // by the agent's turn; null when unknown
  missing: number; // answers without a known time
  unanswered: number[]; // the caller's turns without an answer
  reason: string | null; // why no time is known
};

/**
 * Returns the measured response times: of a typed conversation the text response time, else the response latency. Where
 * only the connection shows that the conversation is typed, the times come from the turns.
 */
export function responseTimes(evidence: Evidence): ResponseTimes {
  const isTyped = evidence.modality === "text";
  const measure = evidence.measures[isTyped ? "text_response_time" : "response_latency"];
  const { provenance, samples, missing, reason } = measure;
  const unanswered = unansweredTurns(evidence);
  if (provenance !== "unavailable")
    return { times: samples.map(({ value, turn }) => ({ turn, ms: value })), missing, unanswered, reason: null };
  if (isTyped) return { ...timesOfTurns(evidence), unanswered };
  return { times: [], missing: answers(evidence).length, unanswered, reason };
}

function timesOfTurns(evidence: Evidence) {
  const spans = answers(evidence).map(({ callerTurn, agentTurn }) => {
    const { endMs } = evidence.turns[agentTurn]!;
    return { turn: agentTurn, ms: endMs === null ? null : endMs - evidence.turns[callerTurn]!.startMs };
  });
  const times = spans.flatMap(({ turn, ms }) => (ms === null ? [] : { turn, ms }));
  const reason = times.length === 0 && spans.length > 0 ? "No answer has a known end." : null;
  return { times, missing: spans.length - times.length, reason };
}

/** Returns each turn of the agent that follows one of the caller, with that turn. */
function answers({ turns }: Evidence): { callerTurn: number; agentTurn: number }[] {
  const pairs: { callerTurn: number; agentTurn: number }[] = [];
  for (let at = 1; at < turns.length; at++) {
    if (turns[at]!.speaker === "agent" && turns[at - 1]!.speaker === "caller")
      pairs.push({ callerTurn: at - 1, agentTurn: at });
  }
  return pairs;
}

/** With a shorter pause, two turns of the caller are one that speech recognition split. */
const SAME_SPEECH_MS = 1_500;

/** Returns the caller's turns after which the caller spoke again without an answer; a split turn is one turn. */
export function unansweredTurns({ turns, measures, modality }: Evidence): number[] {
  return measures.unanswered_turns.samples.flatMap(({ value, turn }) => {
    const next = turn === null ? undefined : turns[turn + 1];
    if (value === 0 || turn === null || next === undefined) return [];
    const pauseMs = next.startMs - (turns[turn]!.endMs ?? turns[turn]!.startMs);
    return modality !== "text" && next.speaker === "caller" && pauseMs < SAME_SPEECH_MS ? [] : [turn];
  });
}
