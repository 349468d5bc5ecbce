import { dbfsOfPower, powerWithoutOffset } from "../../audio/level.ts";

/** The length of a window of a side's levels. */
export const WINDOW_MS = 5;

/** Clipped sound has a flat top: this many samples in a row at this height. */
const TOP = 32_700;
const TOP_SAMPLES = 3;

/** The levels of one side of a call, in windows of `WINDOW_MS`. */
export type SideLevels = { dbfs: Float32Array; clippedSamples: number };

/** Collects the levels of one side. */
type LevelMeter = { push: (samples: Int16Array) => void; finish: () => SideLevels };

/** Creates a meter for sound in pieces of any length; a last window that is not full is left out. */
export function createLevelMeter(rate: number): LevelMeter {
  const windowLength = Math.round((rate * WINDOW_MS) / 1_000);
  const window = new Int16Array(windowLength);
  let windowFill = 0;
  let levels = new Float32Array(1_024);
  let count = 0;
  let clippedSamples = 0;
  let topSamples = 0;

  function addLevel() {
    if (count === levels.length) {
      const longer = new Float32Array(count * 2);
      longer.set(levels);
      levels = longer;
    }
    levels[count++] = dbfsOfPower(powerWithoutOffset(window));
  }

  return {
    push(samples) {
      for (const sample of samples) {
        topSamples = sample >= TOP || sample <= -TOP ? topSamples + 1 : 0;
        if (topSamples === TOP_SAMPLES) clippedSamples += TOP_SAMPLES;
        else if (topSamples > TOP_SAMPLES) clippedSamples++;
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
