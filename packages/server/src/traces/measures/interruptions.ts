import type { Turn } from "../conversation.ts";
import { lastInside, timesInside } from "./intervals.ts";
import { type Found, found, type Sample } from "./measure.ts";
import type { Speech, Timeline } from "./timeline.ts";

const NO_AGENT_AUDIO = "No audio of the agent is known.";
const NO_USER_AUDIO = "When the user spoke is not known.";

export function userInterruptions(timeline: Timeline): Found {
  if (timeline.user.length === 0) return { reason: NO_USER_AUDIO };
  const starts = startsOf(timeline.user);
  const samples = spokenTurns(timeline).map((turn): Sample | null => {
    const value = interrupts(turn, timeline, starts);
    return value === null ? null : { value, provenance: "measured", turnIndex: turn.index, atNs: turn.startNs };
  });
  return found(samples, NO_AGENT_AUDIO, "The spans do not tell whether the agent was cut short.");
}

/** From the last start of the user's speech in the audio that was cut short: what came before did not stop the agent. */
export function yieldLatency(timeline: Timeline): Found {
  if (timeline.user.length === 0) return { reason: NO_USER_AUDIO };
  const starts = startsOf(timeline.user);
  const samples = spokenTurns(timeline).flatMap((turn): Sample[] => {
    const cut = interrupts(turn, timeline, starts) === 1 ? cutShort(turn, timeline, starts) : null;
    if (cut === null) return [];
    return [
      { value: cut.endMs - cut.atMs, provenance: "measured", turnIndex: turn.index, atNs: timeline.ns(cut.atMs) },
    ];
  });
  return found(samples, "The user did not cut the agent short.", "");
}

export function agentInterruptions(timeline: Timeline): Found {
  if (timeline.agent.length === 0) return { reason: NO_AGENT_AUDIO };
  const starts = startsOf(timeline.agent);
  const turns = Map.groupBy(timeline.user, (speech) => speech.turnIndex ?? speech);
  const samples = [...turns.values()].map((speech): Sample => {
    const value = speech.reduce((sum, stretch) => sum + timesInside(starts, stretch), 0);
    const { turnIndex, startMs } = speech[0]!;
    return { value, provenance: "measured", turnIndex, atNs: timeline.ns(startMs) };
  });
  return found(samples, NO_USER_AUDIO, "");
}

const spokenTurns = (timeline: Timeline): Turn[] =>
  timeline.turns.filter((turn) => turn.role === "agent" && timeline.speechOf(turn).length > 0);

const startsOf = (speech: readonly Speech[]): number[] => speech.map(({ startMs }) => startMs);

/** Where the platform does not say that the turn was interrupted, speech of the user in it leaves the question open. */
function interrupts(turn: Turn, timeline: Timeline, userStarts: readonly number[]): 0 | 1 | null {
  if (turn.interrupted === false || timeline.reportOf(turn)?.interruptedBy === "program") return 0;
  if (cutShort(turn, timeline, userStarts) === null) return 0;
  return turn.interrupted === null ? null : 1;
}

/** The end of the turn's last audio in which the user began to speak, and when the user last did. */
function cutShort(turn: Turn, timeline: Timeline, userStarts: readonly number[]) {
  const audio = timeline.speechOf(turn);
  for (let i = audio.length - 1; i >= 0; i--) {
    const atMs = lastInside(userStarts, audio[i]!);
    if (atMs !== null) return { atMs, endMs: audio[i]!.endMs };
  }
  return null;
}
