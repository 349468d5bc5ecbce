/** Period in which the user spoke, in milliseconds since 1970. `endMs` is undefined while the user speaks. */
type Period = { startMs: number; endMs: number | undefined };

export type SpeechTimes = {
  /** Records that the user started or stopped speaking. */
  changed(isSpeaking: boolean, atMs: number): void;
  /**
   * Returns the period in which the user spoke the words that arrived at `atMs`, and removes this period. `startedMs` is the start of the
   * words according to the model; undefined when the model reports none. Without a known period, both times are `atMs`.
   */
  take(atMs: number, startedMs?: number): { startMs: number; endMs: number };
};

/** A pause shorter than this does not end a period. */
const PAUSE_MS = 1_000;
/** Time after which a period is dropped. Noise causes a period for which no words ever arrive. */
const LONGEST_WAIT_MS = 10_000;
const MOST_PERIODS = 100;

/** Creates the store of the periods in which the user of one session spoke. The words of these periods arrive later, in the same order. */
export function createSpeechTimes(): SpeechTimes {
  let periods: Period[] = [];

  return {
    changed(isSpeaking, atMs) {
      const last = periods.at(-1);
      if (!isSpeaking) {
        if (last !== undefined) last.endMs ??= atMs;
      } else if (last?.endMs !== undefined && atMs - last.endMs < PAUSE_MS) {
        last.endMs = undefined;
      } else if (last === undefined || last.endMs !== undefined) {
        periods.push({ startMs: atMs, endMs: undefined });
        if (periods.length > MOST_PERIODS) periods.shift();
      }
    },

    take(atMs, startedMs) {
      if (startedMs !== undefined && startedMs <= atMs) {
        const period = periods.find(({ endMs = atMs }) => endMs >= startedMs);
        periods = periods.filter((other) => other !== period && (other.endMs ?? atMs) >= startedMs);
        return { startMs: startedMs, endMs: Math.max(startedMs, Math.min(period?.endMs ?? startedMs, atMs)) };
      }
      periods = periods.filter(({ endMs = atMs }) => atMs - endMs <= LONGEST_WAIT_MS);
      const period = periods.shift();
      if (period === undefined) return { startMs: atMs, endMs: atMs };
      return { startMs: Math.min(period.startMs, atMs), endMs: Math.min(period.endMs ?? atMs, atMs) };
    },
  };
}
