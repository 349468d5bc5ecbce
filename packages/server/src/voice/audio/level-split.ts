import { SILENCE_DBFS } from "./level.ts";

/**
 * A threshold that divides the levels of a sound into a quiet and a loud group. `dbfs` is the threshold, `gapDb` the distance between the
 * means of the two groups, and `loudDbfs` the mean of the loud group.
 */
export type LevelSplit = { dbfs: number; gapDb: number; loudDbfs: number };

/** Lower levels count as this level, so that digital silence does not form a group of its own. */
const QUIETEST_DBFS = -80;

/** Number of bins of a histogram of levels. Each bin covers one decibel. */
const BINS = 1 - QUIETEST_DBFS;

/**
 * From the gap `SPEECH_GAP_DB` on, the loud group of a split is speech. Up to `NOISE_GAP_DB`, the whole sound is of one kind, such as
 * noise, many voices or chords. A gap between the two is unclear. Measured with means of 100 ms, sounds of one kind have a gap of at most
 * 2.8 dB, and with speech over them more than 5 dB.
 */
export const SPEECH_GAP_DB = 4.5;
export const NOISE_GAP_DB = 3;

export const SPLIT_MEAN_MS = 100;

type LevelHistogram = {
  add: (dbfs: number) => void;
  remove: (dbfs: number) => void;
  /** Returns the split that explains most of the variance (Otsu's method). Each group has at least `least` levels. */
  split: (least: number) => LevelSplit;
};

export function createLevelHistogram(): LevelHistogram {
  const counts = new Float64Array(BINS);
  const binOf = (dbfs: number) => Math.max(0, Math.min(BINS - 1, Math.round(dbfs - QUIETEST_DBFS)));
  return {
    add: (dbfs) => void counts[binOf(dbfs)]!++,
    remove: (dbfs) => void counts[binOf(dbfs)]!--,
    split(least) {
      let [count, sum] = [0, 0];
      for (let bin = 0; bin < BINS; bin++) {
        count += counts[bin]!;
        sum += counts[bin]! * bin;
      }
      let best = { variance: 0, dbfs: SILENCE_DBFS, gapDb: 0, loudDbfs: SILENCE_DBFS };
      let [quietCount, quietSum] = [0, 0];
      for (let bin = 0; bin < BINS; bin++) {
        quietCount += counts[bin]!;
        quietSum += counts[bin]! * bin;
        const loudCount = count - quietCount;
        if (quietCount < least || loudCount < least) continue;
        const loud = (sum - quietSum) / loudCount;
        const gapDb = loud - quietSum / quietCount;
        const variance = quietCount * loudCount * gapDb ** 2;
        if (variance > best.variance)
          best = { variance, dbfs: bin + 0.5 + QUIETEST_DBFS, gapDb, loudDbfs: loud + QUIETEST_DBFS };
      }
      return { dbfs: best.dbfs, gapDb: best.gapDb, loudDbfs: best.loudDbfs };
    },
  };
}

/** Time in milliseconds within which the speech of one voice always has a loud part. */
const SYLLABLE_MS = 300;
/**
 * Someone talks in the background when that talker is at least `FOREGROUND_GAP_DB` quieter than the agent, and talks for at least
 * `BACKGROUND_SHARE` of the time in which the agent is silent.
 */
const FOREGROUND_GAP_DB = 9;
const BACKGROUND_SHARE = 0.6;
/** Smallest duration of the agent's sound, and of the other talker's sound. */
const FOREGROUND_MS = 300;

/**
 * Returns the split between the agent's voice and another talker in the background; null when nobody talks in the background. `means`
 * contains one level of the sound for each `stepMs` milliseconds.
 */
export function foregroundSplit(means: Float32Array, stepMs: number, { dbfs, gapDb }: LevelSplit): LevelSplit | null {
  if (gapDb < SPEECH_GAP_DB) return null;
  const loudest = maximaOf(means, Math.round(SYLLABLE_MS / stepMs));
  const histogram = createLevelHistogram();
  let sounds = 0;
  for (const [at, mean] of means.entries()) {
    if (mean <= dbfs) continue;
    histogram.add(loudest[at]!);
    sounds++;
  }
  const split = histogram.split(Math.max(FOREGROUND_MS / stepMs, sounds / 20));
  if (split.gapDb < FOREGROUND_GAP_DB) return null;
  let [rest, background] = [0, 0];
  for (const level of loudest) {
    if (level > split.dbfs) continue;
    rest++;
    if (level > dbfs) background++;
  }
  return background > rest * BACKGROUND_SHARE ? split : null;
}

function maximaOf(means: Float32Array, width: number): Float32Array {
  const half = width >> 1;
  const maxima = new Float32Array(means.length);
  const falling: number[] = [];
  let first = 0;
  for (let at = 0; at < means.length + half; at++) {
    if (at < means.length) {
      while (falling.length > first && means[falling.at(-1)!]! <= means[at]!) falling.pop();
      falling.push(at);
    }
    const middle = at - half;
    if (middle < 0) continue;
    while (falling[first]! < middle - half) first++;
    maxima[middle] = means[falling[first]!]!;
  }
  return maxima;
}
