import type { Evidence } from "./evidence.ts";

export type ResponseTimes = {
  times: { turn: number | null; ms: number }[]; // by the agent's turn; null when unknown
  missing: number; // answers without a known time
  unanswered: number; // the caller's turns without an answer
  reason: string | null; // why no time is known
};

/** Returns the measured response times; a typed conversation counts from the caller's message to the end of the answer. */
export function responseTimes(evidence: Evidence): ResponseTimes {
  const { provenance, samples, missing, reason } = evidence.measures.response_latency;
  const unanswered = evidence.measures.unanswered_turns.samples.filter(({ value }) => value > 0).length;
  if (evidence.modality === "text") return { ...typed(evidence), unanswered };
  if (provenance === "unavailable") return { times: [], missing: answers(evidence).length, unanswered, reason };
  return { times: samples.map(({ value, turn }) => ({ turn, ms: value })), missing, unanswered, reason: null };
}

function typed(evidence: Evidence) {
  const spans = answers(evidence).map(({ callerTurn, agentTurn }) => ({
    turn: agentTurn,
    ms:
      evidence.turns[agentTurn]!.endMs === null
        ? null
        : evidence.turns[agentTurn]!.endMs - evidence.turns[callerTurn]!.startMs,
  }));
  const times = spans.flatMap(({ turn, ms }) => (ms === null ? [] : { turn, ms }));
  const reason = times.length === 0 && spans.length > 0 ? "No answer has ended." : null;
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
