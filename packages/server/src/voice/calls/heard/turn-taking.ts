import type { HeardCall, SpeechSegment } from "../call.ts";

/** Smallest gap between two turns of the caller. Segments with a shorter gap are one turn, unless the agent starts to speak in the gap. */
const CALLER_PAUSE_MS = 1_000;

/**
 * Smallest gap in the agent's speech, in milliseconds, after which the agent counts as having stopped. When the agent continues after a
 * shorter gap while the caller speaks, the agent only paused.
 */
const AGENT_PAUSE_MS = 700;

/** Speech that starts within this time after the other party's start is not an interruption: both parties started together. */
const TOGETHER_MS = 200;

/** When the agent stops within this time after the caller's start, the agent had finished anyway. */
const TRAILING_MS = 100;

/** When the agent stops later than this after the caller's turn, the agent did not yield. */
const YIELD_LIMIT_MS = 1_500;

const DEAD_AIR_MS = 2_000;

type TurnTaking = Pick<HeardCall, "firstSoundMs" | "answers" | "interruptions" | "overlapMs" | "deadAir">;

export function turnTakingOf(
  caller: readonly SpeechSegment[],
  agent: readonly SpeechSegment[],
  durationMs: number,
): TurnTaking {
  const callerTurns = turnsOfCaller(caller, agent);
  const agentTurns = turnsOfAgent(agent, caller);
  return {
    firstSoundMs: agent[0]?.startMs ?? null,
    answers: answersTo(callerTurns, agentTurns),
    interruptions: callerTurns.flatMap((turn) => interruptionBy(turn, agentTurns, durationMs) ?? []),
    overlapMs: overlapOf(caller, agent),
    deadAir: deadAirOf(caller, agent, durationMs),
  };
}

function turnsOfCaller(caller: readonly SpeechSegment[], agent: readonly SpeechSegment[]): SpeechSegment[] {
  const turns: SpeechSegment[] = [];
  for (const { startMs, endMs } of caller) {
    const last = turns.at(-1);
    const isPause =
      last !== undefined &&
      startMs - last.endMs < CALLER_PAUSE_MS &&
      !agent.some((speech) => speech.startMs >= last.endMs && speech.startMs < startMs);
    if (isPause) last.endMs = endMs;
    else turns.push({ startMs, endMs });
  }
  return turns;
}

function turnsOfAgent(agent: readonly SpeechSegment[], caller: readonly SpeechSegment[]): SpeechSegment[] {
  const turns: SpeechSegment[] = [];
  for (const { startMs, endMs } of agent) {
    const last = turns.at(-1);
    const isPause =
      last !== undefined &&
      startMs - last.endMs < AGENT_PAUSE_MS &&
      caller.some((speech) => speech.startMs < startMs && startMs < speech.endMs);
    if (isPause) last.endMs = endMs;
    else turns.push({ startMs, endMs });
  }
  return turns;
}

/**
 * Returns the agent's answers. An answer starts after the start of the caller's turn, ends after the end of this turn, and starts before
 * the caller's next turn.
 */
function answersTo(callerTurns: readonly SpeechSegment[], agentTurns: readonly SpeechSegment[]): HeardCall["answers"] {
  return callerTurns.flatMap(({ startMs, endMs }, at) => {
    const nextMs = callerTurns[at + 1]?.startMs ?? Infinity;
    const answer = agentTurns.find((speech) => speech.startMs > startMs && speech.endMs > endMs);
    if (answer === undefined || answer.startMs >= nextMs) return [];
    return [{ callerEndMs: endMs, agentStartMs: answer.startMs, responseMs: answer.startMs - endMs }];
  });
}

function interruptionBy(
  turn: SpeechSegment,
  agentTurns: readonly SpeechSegment[],
  durationMs: number,
): HeardCall["interruptions"][number] | null {
  const over = agentTurns.find(
    (speech) => speech.startMs < turn.startMs - TOGETHER_MS && speech.endMs > turn.startMs + TRAILING_MS,
  );
  if (over === undefined) return null;
  const keptSpeakingMs = over.endMs - turn.startMs;
  const isCutOff = over.endMs > durationMs - TRAILING_MS;
  const hasYielded = !isCutOff && over.endMs <= turn.endMs + YIELD_LIMIT_MS;
  return { atMs: turn.startMs, yieldMs: hasYielded ? keptSpeakingMs : null, keptSpeakingMs };
}

function overlapOf(caller: readonly SpeechSegment[], agent: readonly SpeechSegment[]): number {
  let overlapMs = 0;
  for (const one of caller) {
    for (const other of agent) {
      overlapMs += Math.max(0, Math.min(one.endMs, other.endMs) - Math.max(one.startMs, other.startMs));
    }
  }
  return overlapMs;
}

/**
 * Returns the gaps in which the caller waits for the agent. A pause of the caller after the agent's words does not count. The time after
 * the agent's last word does not count either, because the call is over.
 */
function deadAirOf(
  caller: readonly SpeechSegment[],
  agent: readonly SpeechSegment[],
  durationMs: number,
): SpeechSegment[] {
  const speech = [
    ...caller.map((segment) => ({ ...segment, isAgent: false })),
    ...agent.map((segment) => ({ ...segment, isAgent: true })),
  ].toSorted((x, y) => x.startMs - y.startMs);
  const end = { startMs: durationMs, endMs: durationMs, isAgent: false };
  const gaps: SpeechSegment[] = [];
  let quietFromMs = 0;
  let wasAgent = false;
  for (const { startMs, endMs, isAgent } of [...speech, end]) {
    const isCallersPause = wasAgent && !isAgent;
    if (startMs - quietFromMs >= DEAD_AIR_MS && !isCallersPause) gaps.push({ startMs: quietFromMs, endMs: startMs });
    if (endMs < quietFromMs) continue;
    quietFromMs = endMs;
    wasAgent = isAgent;
  }
  return gaps;
}
