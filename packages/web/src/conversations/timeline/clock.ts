import type { Trace } from "@svc/contract";

/** A part of the conversation's time, in milliseconds since its start. */
export type Interval = { fromMs: number; untilMs: number };

/** Converts the times of one conversation to milliseconds since its start. */
export type Clock = {
  ms(time: string): number;
  ofNanoseconds(time: string): number;
};

/** Returns the clock of a conversation. */
export function createClock({ startedAt }: Pick<Trace, "startedAt">): Clock {
  const startMs = Date.parse(startedAt);
  const startNs = BigInt(startMs) * 1_000_000n;
  return {
    ms: (time) => Date.parse(time) - startMs,
    ofNanoseconds: (time) => Number(BigInt(time) - startNs) / 1e6,
  };
}

/** Returns when the conversation ends: its latest end, speech or turn, in milliseconds since its start. */
export function endOf(trace: Pick<Trace, "startedAt" | "durationMs" | "speech" | "turns">): number {
  const { ms } = createClock(trace);
  const ends = [
    ...trace.speech.map(({ endedAt }) => ms(endedAt)),
    ...trace.turns.map((turn) => ms(turn.endedAt ?? turn.startedAt)),
  ];
  return ends.reduce((latest, end) => Math.max(latest, end), trace.durationMs ?? 0);
}
