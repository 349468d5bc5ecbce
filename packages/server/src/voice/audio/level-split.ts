import { SILENCE_DBFS } from "./level.ts";

/** The level that best splits the levels of a sound into two groups, and the distance between the means of the groups. */
export type LevelSplit = { dbfs: number; gapDb: number; loudDbfs: number };

/** Levels below this count as this, so that digital silence makes no separate group. */
const QUIETEST_DBFS = -80;

/** The bins of a histogram, of a decibel each. */
const BINS = 1 - QUIETEST_DBFS;

/**
 * Means of 100 ms of sound of one kind (a noise, many voices, chords) split with a gap of at most 2.8 dB; with speech over it,
 * the gap is more than 5 dB. In between it is unclear.
 */
export const SPEECH_GAP_DB = 4.5;
export const NOISE_GAP_DB = 3;

/** The length of the means that a split compares. */
export const SPLIT_MEAN_MS = 100;

/** The number of levels in each decibel. */
type LevelHistogram = {
  add: (dbfs: number) => void;
  remove: (dbfs: number) => void;
  /** Returns the split that explains most of the variance (Otsu); each group has at least `least` levels. */
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

/** In the speech of one voice, a loud part is within this time of each sound. */
const SYLLABLE_MS = 300;
/** A talker in the background is this much weaker than the agent, and talks for this share of the rest of the time. */
const FOREGROUND_GAP_DB = 9;
const BACKGROUND_SHARE = 0.6;
/** The agent and the other talker each have at least this much of the sound. */
const FOREGROUND_MS = 300;

/**
 * Returns the split between the agent and another talker in the background; null where nobody else talks. `means` are the levels
 * of a sound, one for each `stepMs`, and `split` is theirs.
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

/** Returns the largest mean around each window. */
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
