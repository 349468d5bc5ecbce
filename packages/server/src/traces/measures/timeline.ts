import type { Conversation, SpeechPeriod, Turn, TurnReport } from "../conversation/conversation.ts";
import type { Interval } from "./intervals.ts";

/** An interval in which one party speaks, in milliseconds from the timeline's origin. */
export type SpeechInterval = Interval & { turnIndex: number | null };

/**
 * A conversation with the speech of each turn. Times of speech are milliseconds from an origin: the earliest start of the session,
 * the turns and the speech.
 */
export type Timeline = Conversation & {
  user: SpeechInterval[]; // by start
  agent: SpeechInterval[]; // by start
  thirdParty: SpeechInterval[]; // by start
  hasAllSpeech: boolean; // false when periods of speech were left out
  /** Returns the speech of a turn by start; empty if none is known. */
  speechOf(turn: Turn): readonly SpeechInterval[];
  reportOf(turn: Turn): TurnReport | undefined;
  /** Converts Unix nanoseconds to milliseconds from the origin. */
  ms(ns: bigint): number;
  /** Converts milliseconds from the origin to Unix nanoseconds. */
  ns(ms: number): bigint;
};

/** Returns the timeline of a conversation. Leaves out the periods of speech for which `isPossible` returns false. */
export function timelineOf(conversation: Conversation, isPossible: (period: SpeechPeriod) => boolean): Timeline {
  let hasAllSpeech = true;
  const origin = earliest(conversation);
  const ms = (ns: bigint) => Number(ns - origin) / 1e6;
  const intervals = (speech: readonly SpeechPeriod[]) =>
    speech.flatMap((period): SpeechInterval[] => {
      const { startNs, endNs, turnIndex } = period;
      if (isPossible(period)) return [{ startMs: ms(startNs), endMs: ms(endNs), turnIndex }];
      hasAllSpeech = false;
      return [];
    });
  const user = intervals(conversation.userSpeech);
  const agent = intervals(conversation.agentSpeech);
  const thirdParty = intervals(conversation.thirdPartySpeech);
  const byTurn = new Map<number | null, SpeechInterval[]>();
  for (const speech of [...user, ...agent, ...thirdParty]) {
    const turn = byTurn.get(speech.turnIndex);
    if (turn === undefined) byTurn.set(speech.turnIndex, [speech]);
    else turn.push(speech);
  }
  const reports = new Map(conversation.turnReports.map((report) => [report.turnIndex, report]));
  return {
    ...conversation,
    user,
    agent,
    thirdParty,
    hasAllSpeech,
    speechOf: (turn) => byTurn.get(turn.index) ?? [],
    reportOf: (turn) => reports.get(turn.index),
    ms,
    ns: (time) => origin + BigInt(Math.round(time * 1e6)),
  };
}

/** Returns the earliest start as the origin. In milliseconds from a near origin, a double represents a time to the nanosecond. */
function earliest({ session, turns, userSpeech, agentSpeech }: Conversation): bigint {
  const starts = [session, turns[0], userSpeech[0], agentSpeech[0]].flatMap((first) => first?.startNs ?? []);
  return starts.reduce((a, b) => (b < a ? b : a), starts[0] ?? 0n);
}
