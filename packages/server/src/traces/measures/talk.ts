import { SILENCE_MS } from "@svc/contract/constants";
import type { Turn } from "../conversation.ts";
import { gaps, intersection, type Interval, lengthMs, union } from "./intervals.ts";
import { type Found, found, type Sample } from "./measure.ts";
import type { Timeline } from "./timeline.ts";
import { wordCount } from "./words.ts";

const ONE_SIDED = "When the user spoke, or the agent, is not known.";

export function overlapRatio(timeline: Timeline): Found {
  const [user, agent] = [union(timeline.user), union(timeline.agent)];
  return ofConversation(timeline, lengthMs(intersection(user, agent)), lengthMs(union([...user, ...agent])));
}

export function talkRatio(timeline: Timeline): Found {
  const [userMs, agentMs] = [lengthMs(union(timeline.user)), lengthMs(union(timeline.agent))];
  return ofConversation(timeline, agentMs, userMs + agentMs);
}

export function silence(timeline: Timeline): Found {
  const spoken = union([...timeline.user, ...timeline.agent]);
  if (spoken.length === 0 || isOneSided(timeline)) return { reason: ONE_SIDED };
  const silent = gaps(spoken, spanOf(timeline, spoken)).filter((gap) => gap.endMs - gap.startMs >= SILENCE_MS);
  return {
    samples: silent.map((gap) => ({
      value: gap.endMs - gap.startMs,
      provenance: "measured",
      turnIndex: null,
      atNs: timeline.ns(gap.startMs),
    })),
  };
}

/** The last turn is not yet unanswered while the session goes on. */
export function unansweredTurns(timeline: Timeline): Found {
  const ended = timeline.session !== null && timeline.session.endNs !== null;
  const samples: (Sample | null)[] = [];
  let asked: Turn | null = null;
  const close = (turn: Turn | null, value: 0 | 1 | null) => {
    if (turn === null) return;
    const { index: turnIndex, startNs: atNs } = turn;
    samples.push(value === null ? null : { value, provenance: "measured", turnIndex, atNs });
  };
  for (const turn of timeline.turns) {
    if (turn.role === "user") {
      close(asked, 1);
      asked = turn;
    } else if (turn.text !== null || timeline.speechOf(turn).length > 0 || timeline.modality === "text") {
      close(asked, 0);
      asked = null;
    }
  }
  close(asked, ended ? 1 : null);
  return found(samples, "There is no user turn.", "The session has not ended.");
}

export function wordsPerMinute(timeline: Timeline): Found {
  const spoken = timeline.turns.filter(
    (turn) => turn.role === "agent" && turn.interrupted !== true && timeline.speechOf(turn).length > 0,
  );
  const samples = spoken.map((turn): Sample | null => {
    const minutes = lengthMs(union(timeline.speechOf(turn))) / 60_000;
    const words = turn.text === null ? null : wordCount(turn.text);
    if (words === null || minutes === 0) return null;
    return { value: words / minutes, provenance: "measured", turnIndex: turn.index, atNs: turn.startNs };
  });
  return found(samples, "No turn of the agent was heard to its end.", "What the agent said is not known.");
}

function ofConversation(timeline: Timeline, part: number, whole: number): Found {
  if (isOneSided(timeline) || whole === 0) return { reason: ONE_SIDED };
  return { samples: [{ value: part / whole, provenance: "measured", turnIndex: null, atNs: timeline.ns(0) }] };
}

/** A party that never spoke cannot be told from one whose speech was not recorded. */
const isOneSided = ({ user, agent }: Timeline) => user.length === 0 || agent.length === 0;

/** The session, and all speech: clocks may put a word outside. */
function spanOf({ session, ms }: Timeline, spoken: readonly Interval[]): Interval {
  const startMs = spoken[0]!.startMs;
  const endMs = spoken.at(-1)!.endMs;
  if (session === null) return { startMs, endMs };
  return {
    startMs: Math.min(startMs, ms(session.startNs)),
    endMs: session.endNs === null ? endMs : Math.max(endMs, ms(session.endNs)),
  };
}
