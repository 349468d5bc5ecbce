import { SILENCE_MS } from "@svc/contract/constants";
import type { Turn } from "../conversation/conversation.ts";
import { gaps, intersection, type Interval, lengthMs, union } from "./intervals.ts";
import { type MeasureResult, resultOf, type Sample } from "./measure.ts";
import type { Timeline } from "./timeline.ts";
import { wordCount } from "./words.ts";

const ONE_SIDED = "The spans do not show when both the user and the agent spoke.";

export function overlapRatio(timeline: Timeline): MeasureResult {
  const [user, agent] = [union(timeline.user), union(timeline.agent)];
  return ratio(timeline, lengthMs(intersection(user, agent)), lengthMs(union([...user, ...agent])));
}

export function talkRatio(timeline: Timeline): MeasureResult {
  const [userMs, agentMs] = [lengthMs(union(timeline.user)), lengthMs(union(timeline.agent))];
  return ratio(timeline, agentMs, userMs + agentMs);
}

export function silence(timeline: Timeline): MeasureResult {
  const spoken = union([...timeline.user, ...timeline.agent, ...timeline.thirdParty]);
  if (spoken.length === 0 || isOneSided(timeline)) return { reason: ONE_SIDED };
  const silent = gaps(spoken, talkingPeriod(timeline, spoken)).filter((gap) => gap.endMs - gap.startMs >= SILENCE_MS);
  return {
    samples: silent.map((gap) => ({
      value: gap.endMs - gap.startMs,
      provenance: "measured",
      turnIndex: null,
      atNs: timeline.ns(gap.startMs),
    })),
  };
}

/** If the session has not ended, it is unknown whether the last turn gets an answer. */
export function unansweredTurns(timeline: Timeline): MeasureResult {
  const ended = timeline.session !== null && timeline.session.endNs !== null;
  // If true, the turns are derived from the sound of a call that the service placed, so their words may be unknown.
  const isHeard = timeline.heard !== undefined && timeline.agent.length === 0;
  const samples: (Sample | null)[] = [];
  let question: Turn | null = null;
  const close = (turn: Turn | null, value: 0 | 1 | null) => {
    if (turn === null) return;
    const { index: turnIndex, startNs: atNs } = turn;
    samples.push(value === null ? null : { value, provenance: "measured", turnIndex, atNs });
  };
  for (const turn of timeline.turns) {
    if (turn.role === "user") {
      close(question, 1);
      question = turn;
    } else if (turn.text !== null || timeline.speechOf(turn).length > 0 || timeline.modality === "text" || isHeard) {
      close(question, 0);
      question = null;
    }
  }
  close(question, ended ? 1 : null);
  return resultOf(samples, "The conversation has no user turn.", "The session has not ended.");
}

export function wordsPerMinute(timeline: Timeline): MeasureResult {
  const spoken = timeline.turns.filter(
    (turn) => turn.role === "agent" && turn.interrupted !== true && timeline.speechOf(turn).length > 0,
  );
  const samples = spoken.map((turn): Sample | null => {
    const minutes = lengthMs(union(timeline.speechOf(turn))) / 60_000;
    const words = turn.text === null ? null : wordCount(turn.text);
    if (words === null || minutes === 0) return null;
    return { value: words / minutes, provenance: "measured", turnIndex: turn.index, atNs: turn.startNs };
  });
  return resultOf(samples, "The user heard no agent turn to its end.", "The spans do not show what the agent said.");
}

function ratio(timeline: Timeline, part: number, whole: number): MeasureResult {
  if (isOneSided(timeline) || whole === 0) return { reason: ONE_SIDED };
  return { samples: [{ value: part / whole, provenance: "measured", turnIndex: null, atNs: timeline.ns(0) }] };
}

/** Returns whether the spans show no speech of the user, or none of the agent: that party was silent or was not recorded. */
const isOneSided = ({ user, agent }: Timeline) => user.length === 0 || agent.length === 0;

/** If the speech starts before the session, because clocks differ, the period starts with the speech. */
function talkingPeriod({ session, ms }: Timeline, spoken: readonly Interval[]): Interval {
  const [firstMs, endMs] = [spoken[0]!.startMs, spoken.at(-1)!.endMs];
  return { startMs: session === null ? firstMs : Math.min(firstMs, ms(session.startNs)), endMs };
}
