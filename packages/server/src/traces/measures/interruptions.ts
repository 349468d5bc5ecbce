import type { Turn } from "../conversation/conversation.ts";
import { lastInside, timesInside } from "./intervals.ts";
import { type MeasureResult, resultOf, type Sample } from "./measure.ts";
import type { SpeechInterval, Timeline } from "./timeline.ts";

const NO_AGENT_AUDIO = "The spans show no audio of the agent.";
const NO_USER_AUDIO = "The spans do not show when the user spoke.";

export function userInterruptions(timeline: Timeline): MeasureResult {
  if (timeline.agent.length === 0) return reportedInterruptions(timeline, NO_AGENT_AUDIO);
  if (timeline.user.length === 0) return reportedInterruptions(timeline, NO_USER_AUDIO);
  const starts = startsOf(timeline.user);
  const samples = spokenTurns(timeline).map((turn): Sample | null => {
    const value = interrupts(turn, timeline, starts);
    return value === null ? null : { value, provenance: "measured", turnIndex: turn.index, atNs: turn.startNs };
  });
  return resultOf(samples, NO_AGENT_AUDIO, "The spans do not show whether the user interrupted the agent.");
}

/** Counts the interruptions that the platform reports, because the spans do not have the times of both parties' audio. */
function reportedInterruptions(timeline: Timeline, reason: string): MeasureResult {
  const turns = timeline.turns.filter(({ role }) => role === "agent");
  if (turns.every(({ interrupted }) => interrupted === null)) return { reason };
  const samples = turns.map((turn): Sample | null => {
    const by = timeline.reportOf(turn)?.interruptedBy ?? null;
    if (turn.interrupted === null || (turn.interrupted && by === null)) return null;
    const value = turn.interrupted && by === "user" ? 1 : 0;
    return { value, provenance: "provider_reported", turnIndex: turn.index, atNs: turn.startNs };
  });
  return resultOf(samples, reason, "The spans do not show whether the user interrupted the agent.");
}

/**
 * Measures how long the agent still speaks after an interruption. If the user begins to speak several times during the agent's audio, only
 * the last time counts, because the agent did not stop at the earlier ones.
 */
export function yieldLatency(timeline: Timeline): MeasureResult {
  if (timeline.user.length === 0) return { reason: NO_USER_AUDIO };
  const starts = startsOf(timeline.user);
  const samples = spokenTurns(timeline).flatMap((turn): Sample[] => {
    const overlap = interrupts(turn, timeline, starts) === 1 ? lastOverlap(turn, timeline, starts) : null;
    if (overlap === null) return [];
    const { atMs, endMs } = overlap;
    return [{ value: endMs - atMs, provenance: "measured", turnIndex: turn.index, atNs: timeline.ns(atMs) }];
  });
  return resultOf(samples, "The user did not interrupt the agent.", "");
}

export function agentInterruptions(timeline: Timeline): MeasureResult {
  if (timeline.agent.length === 0) return { reason: NO_AGENT_AUDIO };
  const starts = startsOf(timeline.agent);
  const turns = Map.groupBy(timeline.user, (speech) => speech.turnIndex ?? speech);
  const samples = [...turns.values()].map((speech): Sample => {
    const value = speech.reduce((sum, interval) => sum + timesInside(starts, interval), 0);
    const { turnIndex, startMs } = speech[0]!;
    return { value, provenance: "measured", turnIndex, atNs: timeline.ns(startMs) };
  });
  return resultOf(samples, NO_USER_AUDIO, "");
}

const spokenTurns = (timeline: Timeline): Turn[] =>
  timeline.turns.filter((turn) => turn.role === "agent" && timeline.speechOf(turn).length > 0);

const startsOf = (speech: readonly SpeechInterval[]): number[] => speech.map(({ startMs }) => startMs);

/**
 * Returns null (unknown) if the user began to speak during the turn but the platform does not report whether the turn
 * was interrupted.
 */
function interrupts(turn: Turn, timeline: Timeline, userStarts: readonly number[]): 0 | 1 | null {
  if (turn.interrupted === false || timeline.reportOf(turn)?.interruptedBy === "program") return 0;
  if (lastOverlap(turn, timeline, userStarts) === null) return 0;
  return turn.interrupted === null ? null : 1;
}

function lastOverlap(turn: Turn, timeline: Timeline, userStarts: readonly number[]) {
  const audio = timeline.speechOf(turn);
  for (let i = audio.length - 1; i >= 0; i--) {
    const atMs = lastInside(userStarts, audio[i]!);
    if (atMs !== null) return { atMs, endMs: audio[i]!.endMs };
  }
  return null;
}
