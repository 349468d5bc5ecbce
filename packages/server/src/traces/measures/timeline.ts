import type { Conversation, SpeechPeriod, Turn, TurnReport } from "../conversation/conversation.ts";
import type { Interval } from "./intervals.ts";

/** A period of speech, in milliseconds from the timeline's origin. */
export type SpeechInterval = Interval & { turnIndex: number | null };

/** Times of speech are milliseconds from an origin: the earliest start of the session, the turns and the speech. */
export type Timeline = Conversation & {
  user: SpeechInterval[]; // by start
  agent: SpeechInterval[]; // by start
  thirdParty: SpeechInterval[]; // by start
  hasAllSpeech: boolean; // false when periods of speech were left out
  speechOf(turn: Turn): readonly SpeechInterval[];
  reportOf(turn: Turn): TurnReport | undefined;
  ms(ns: bigint): number;
  ns(ms: number): bigint;
};

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

/** Returns the origin. In milliseconds from a near origin, a double represents a time to the nanosecond. */
function earliest({ session, turns, userSpeech, agentSpeech }: Conversation): bigint {
  const starts = [session, turns[0], userSpeech[0], agentSpeech[0]].flatMap((first) => first?.startNs ?? []);
  return starts.reduce((a, b) => (b < a ? b : a), starts[0] ?? 0n);
}
