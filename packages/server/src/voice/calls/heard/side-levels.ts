import { CALL_RATE } from "../../audio/audio.ts";
import { dbfsOfPower, powerWithoutOffset } from "../../audio/level.ts";

export const WINDOW_MS = 5;

/** Clipped sound has a flat top: at least `TOP_SAMPLES` consecutive samples with at least the magnitude `TOP`. */
const TOP = 32_700;
const TOP_SAMPLES = 3;

/** Highest power-weighted mean frequency of a voice. Sound with a higher mean frequency is a breath or a hiss. */
const VOICELESS_HZ = 900;
const VOICELESS_SHARE = 2 * (1 - Math.cos((2 * Math.PI * VOICELESS_HZ) / CALL_RATE));

export type SideLevels = {
  dbfs: Float32Array;
  /** 1 for a window without a voice, else 0. */
  isVoiceless: Uint8Array;
};

type LevelMeter = {
  push: (samples: Int16Array) => void;
  /** Returns the levels of all complete windows so far. */
  levels: () => SideLevels;
  clippedSamples: () => number;
};

export function createLevelMeter(): LevelMeter {
  const windowLength = (CALL_RATE * WINDOW_MS) / 1_000;
  const window = new Int16Array(windowLength);
  let windowFill = 0;
  let dbfs = new Float32Array(1_024);
  let isVoiceless = new Uint8Array(1_024);
  let count = 0;
  let clippedSamples = 0;
  let topSamples = 0;

  function addWindow() {
    if (count === dbfs.length) {
      const [shorter, shorterFlags] = [dbfs, isVoiceless];
      dbfs = new Float32Array(count * 2);
      dbfs.set(shorter);
      isVoiceless = new Uint8Array(count * 2);
      isVoiceless.set(shorterFlags);
    }
    const power = powerWithoutOffset(window);
    dbfs[count] = dbfsOfPower(power);
    isVoiceless[count] = changeOf(window) > power * VOICELESS_SHARE ? 1 : 0;
    count++;
  }

  return {
    push(samples) {
      for (const sample of samples) {
        topSamples = sample >= TOP || sample <= -TOP ? topSamples + 1 : 0;
        if (topSamples === TOP_SAMPLES) clippedSamples += TOP_SAMPLES;
        else if (topSamples > TOP_SAMPLES) clippedSamples++;
        window[windowFill++] = sample;
        if (windowFill === windowLength) {
          addWindow();
          windowFill = 0;
        }
      }
    },
    levels: () => ({ dbfs: dbfs.subarray(0, count), isVoiceless: isVoiceless.subarray(0, count) }),
    clippedSamples: () => clippedSamples,
  };
}

/** Returns the mean power of the differences between neighbouring samples. For the same loudness, it grows with the frequency. */
function changeOf(samples: Int16Array): number {
  let sum = 0;
  for (let at = 1; at < samples.length; at++) sum += (samples[at]! - samples[at - 1]!) ** 2;
  return sum / (samples.length - 1) / 2 ** 30;
}
