/** A period in which the user spoke, in milliseconds since 1970. `endMs` is undefined while the user still speaks. */
type Period = { startMs: number; endMs: number | undefined };

export type SpeechTimes = {
  /** Notes that the user began or ended to speak. */
  changed(isSpeaking: boolean, atMs: number): void;
  /**
   * Returns the period of the words that a model has recognised, and forgets it. `startedMs` is the start that the model states.
   * Without a known period, the words have the time of their arrival, and no length.
   */
  take(atMs: number, startedMs?: number): { startMs: number; endMs: number };
};

/** Within such a pause, the user goes on with the same turn. */
const PAUSE_MS = 1_000;
/** A model that gives no words for a noise leaves a period without words. */
const LONGEST_WAIT_MS = 10_000;
const MOST_PERIODS = 100;

/** Creates the periods of speech of one session, whose words arrive later, in order. */
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
