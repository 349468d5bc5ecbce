import type { Conversation, Turn, TurnReport } from "../conversation.ts";
import type { Interval } from "./intervals.ts";

/** Speech in milliseconds from the timeline's origin. */
export type Speech = Interval & { turnIndex: number | null };

/** A conversation as measures read it: speech in milliseconds from an origin of its own, and by turn. */
export type Timeline = Conversation & {
  user: Speech[]; // by start
  agent: Speech[]; // by start
  /** Speech of a turn by start; empty when none is known. */
  speechOf(turn: Turn): readonly Speech[];
  reportOf(turn: Turn): TurnReport | undefined;
  ms(ns: bigint): number;
  ns(ms: number): bigint;
};

export function timelineOf(conversation: Conversation): Timeline {
  const origin = earliest(conversation);
  const ms = (ns: bigint) => Number(ns - origin) / 1e6;
  const [user, agent] = [conversation.userSpeech, conversation.agentSpeech].map((speech) =>
    speech.map(({ startNs, endNs, turnIndex }): Speech => ({ startMs: ms(startNs), endMs: ms(endNs), turnIndex })),
  ) as [Speech[], Speech[]];
  const byTurn = new Map<number | null, Speech[]>();
  for (const speech of [...user, ...agent]) {
    const turn = byTurn.get(speech.turnIndex);
    if (turn === undefined) byTurn.set(speech.turnIndex, [speech]);
    else turn.push(speech);
  }
  const reports = new Map(conversation.turnReports.map((report) => [report.turnIndex, report]));
  return {
    ...conversation,
    user,
    agent,
    speechOf: (turn) => byTurn.get(turn.index) ?? [],
    reportOf: (turn) => reports.get(turn.index),
    ms,
    ns: (time) => origin + BigInt(Math.round(time * 1e6)),
  };
}

/** An origin near the numbers keeps them exact to the nanosecond. */
function earliest({ session, turns, userSpeech, agentSpeech }: Conversation): bigint {
  const starts = [session, turns[0], userSpeech[0], agentSpeech[0]].flatMap((first) => first?.startNs ?? []);
  return starts.reduce((a, b) => (b < a ? b : a), starts[0] ?? 0n);
}
