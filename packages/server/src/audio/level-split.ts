import { SILENCE_DBFS } from "./level.ts";

/** The level that best splits the levels of a sound in two groups, and how far apart the means of the groups are. */
export type LevelSplit = { dbfs: number; gapDb: number; loudDbfs: number };

/** Levels below this count as this, so that digital silence makes no separate group. */
const QUIETEST_DBFS = -80;

/** The bins of a histogram, of a decibel each. */
const BINS = 1 - QUIETEST_DBFS;

/**
 * Means of 100 ms of one sound (a noise, many voices, chords) split by at most 2.8 dB, and with speech over them by more than 5.
 * Between these limits nobody can tell.
 */
export const SPEECH_GAP_DB = 4.5;
export const NOISE_GAP_DB = 3;

/** The length of the means that a split compares. */
export const SPLIT_MEAN_MS = 100;

/** The number of levels in each decibel. */
export type LevelHistogram = {
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
