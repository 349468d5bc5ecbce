import { dbfsOfPower, powerWithoutOffset } from "../../audio/level.ts";

/** The length of a window of a side's levels. */
export const WINDOW_MS = 5;

/**
 * Clipped sound has a flat top: this many samples in a row at this height. μ-law has a lower top, and conversion to the rate
 * of the call puts ripples on it.
 */
const FLAT_TOPS = [
  { height: 32_700, samples: 3 },
  { height: 32_000, samples: 5 },
] as const;

/** The levels of one side of a call, in windows of `WINDOW_MS`. */
export type SideLevels = { dbfs: Float32Array; clippedSamples: number };

/** Collects the levels of one side. */
export type LevelMeter = { push: (samples: Int16Array) => void; finish: () => SideLevels };

/** Creates a meter for sound in pieces of any length; a last window that is not full is left out. */
export function createLevelMeter(rate: number): LevelMeter {
  const windowLength = Math.round((rate * WINDOW_MS) / 1_000);
  const window = new Int16Array(windowLength);
  let windowFill = 0;
  let levels = new Float32Array(1_024);
  let count = 0;
  let clippedSamples = 0;
  const runs = FLAT_TOPS.map(() => 0);
  let counted = 0;

  function addLevel() {
    if (count === levels.length) {
      const longer = new Float32Array(count * 2);
      longer.set(levels);
      levels = longer;
    }
    levels[count++] = dbfsOfPower(powerWithoutOffset(window));
  }

  /** Counts the samples of a flat top, each one once, when the top is long enough. */
  function watchTop(sample: number) {
    const height = Math.abs(sample);
    let longest = 0;
    for (const [at, top] of FLAT_TOPS.entries()) {
      runs[at] = height >= top.height ? runs[at]! + 1 : 0;
      if (runs[at]! >= top.samples) longest = Math.max(longest, runs[at]!);
    }
    if (longest > counted) clippedSamples += longest - counted;
    counted = longest;
  }

  return {
    push(samples) {
      for (const sample of samples) {
        if (sample >= 32_000 || sample <= -32_000 || counted > 0 || runs[1]! > 0) watchTop(sample);
        window[windowFill++] = sample;
        if (windowFill === windowLength) {
          addLevel();
          windowFill = 0;
        }
      }
    },
    finish: () => ({ dbfs: levels.slice(0, count), clippedSamples }),
  };
}
