import { dbfsOfPower, SILENCE_DBFS } from "../../audio/level.ts";
import {
  createLevelHistogram,
  foregroundSplit,
  type LevelSplit,
  NOISE_GAP_DB,
  SPEECH_GAP_DB,
  SPLIT_MEAN_MS,
} from "../../audio/level-split.ts";
import type { HeardParty, SpeechSegment } from "../call.ts";
import { type SideLevels, WINDOW_MS } from "./side-levels.ts";

const windowsIn = (ms: number): number => Math.round(ms / WINDOW_MS);

/** A quiet gap that is shorter than this belongs to the speech around it, because it is a stop consonant or a breath. */
const JOIN_MS = 350;

/** Sound that is shorter than this is a click and not speech. */
const SHORTEST_MS = 60;

/**
 * Each mean level covers this number of windows on each side. A sound therefore raises means up to this distance before its start and after
 * its end.
 */
const HALF_MEAN = windowsIn(SPLIT_MEAN_MS / 2);

/** A mean level below this one is never speech. */
const LOWEST_DBFS = -60;

/** Smallest number of mean levels in the quiet group and in the loud group. */
const LEAST_MEANS = windowsIn(300);

/**
 * If the level stays above the threshold for longer than this, a new threshold is computed for that stretch, because noise that lasts for a
 * part of the call is not speech.
 */
const LONG_MS = 10_000;

/**
 * Each segment of speech has a part that is at most `LOUD_RANGE_DB` quieter than the loud speech of the call. A gust of noise is quieter.
 */
const LOUD_RANGE_DB = 18;

/**
 * A strong piece of sound exceeds the threshold between quiet and loud by `STRONG_DB`, or by 30 % of the distance between the two groups
 * when that is less. A weaker piece is speech only within `NEAR` of a strong piece.
 */
const STRONG_DB = 8;
const NEAR = windowsIn(100);

/**
 * Speech starts and ends where its level is at most `EDGE_RANGE_DB` below the loudest mean of the piece, and at least `LOWEST_EDGE_DBFS`.
 */
const EDGE_RANGE_DB = 42;
const LOWEST_EDGE_DBFS = -76;

/**
 * At the start and the end of speech, the level exceeds the noise around it by `EDGE_SHARE` of the distance between the noise and the loud
 * speech. `EDGE_OVER_NOISE_DB` contains the least and the most that it exceeds the noise.
 */
const EDGE_SHARE = 0.6;
const EDGE_OVER_NOISE_DB = [3, 7] as const;

/**
 * The noise around a position is the median level of the windows without speech that are at most `NOISE_REACH` away. When all these windows
 * have speech, the noise is the median of all windows without speech in the call.
 */
const NOISE_REACH = windowsIn(3_000);
const NOISE_STEP = windowsIn(250);

/**
 * The search for the start or end of speech begins inside a piece and proceeds outwards. It crosses quiet gaps of up to `STEP`, such as
 * stop consonants and the gaps between the pulses of a fading voice.
 */
const STEP = windowsIn(80);
/**
 * The start or end of speech is at most `OUTWARDS` outside and `INWARDS` inside its piece, because a sound also raises the means just
 * outside it.
 */
const OUTWARDS = windowsIn(200);
const INWARDS = windowsIn(70);

/** Returns the speech of one side of a call. Other work of the process can run after each step. */
export async function heardParty(levels: SideLevels, clippedSamples: number): Promise<HeardParty> {
  const { dbfs } = levels;
  const means = meansOf(dbfs, windowsIn(SPLIT_MEAN_MS));
  await nextTurn();
  const split = splitOf(means);
  const isUnclear = split.gapDb >= NOISE_GAP_DB && split.gapDb < SPEECH_GAP_DB;
  const noise = noiseAround(meansOf(dbfs, 3), means, split.dbfs);
  await nextTurn();
  const segments = segmentsOf(levels, means, noise);
  await nextTurn();
  return { segments, isUnclear, ...levelsOf(dbfs, segments), clippedSamples };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

function splitOf(means: Float32Array): LevelSplit {
  const histogram = createLevelHistogram();
  for (const mean of means) histogram.add(mean);
  const split = histogram.split(Math.min(LEAST_MEANS, means.length / 20));
  return foregroundSplit(means, WINDOW_MS, split) ?? split;
}

/**
 * Piece of sound that is probably speech; `from` and `to` are numbers of windows. A strong piece is certainly louder than a peak of noise.
 */
type Piece = { from: number; to: number; isStrong: boolean };

function segmentsOf(levels: SideLevels, means: Float32Array, noise: Float32Array): SpeechSegment[] {
  const { dbfs } = levels;
  const pieces = piecesIn(dbfs, means, noise, 0, means.length);
  const strong = pieces.filter(({ isStrong }) => isStrong);
  const isNear = ({ from, to }: Piece) => strong.some((other) => from - other.to < NEAR && other.from - to < NEAR);
  const segments = joined(pieces.filter(isNear)).map(({ from, to }) => ({ from: startOf(levels, from, to), to }));
  const loud = loudLevel(dbfs, segments);
  return segments
    .filter(
      ({ from, to }) =>
        to - from >= windowsIn(SHORTEST_MS) && dbfs.subarray(from, to).some((level) => level > loud - LOUD_RANGE_DB),
    )
    .map(({ from, to }) => ({ startMs: from * WINDOW_MS, endMs: to * WINDOW_MS }));
}

/** Returns the pieces of a stretch in which the mean level is above the stretch's threshold; an empty list for a steady sound. */
function piecesIn(dbfs: Float32Array, means: Float32Array, noise: Float32Array, first: number, last: number): Piece[] {
  const split = splitOf(means.subarray(first, last));
  if (split.gapDb < SPEECH_GAP_DB) return [];
  const limit = Math.max(LOWEST_DBFS, split.dbfs);
  const isEdge = (at: number, top: number) => {
    const around = Math.min(noise[Math.floor(at / NOISE_STEP)]!, split.dbfs);
    const [least, most] = EDGE_OVER_NOISE_DB;
    const overNoise = Math.min(most, Math.max(least, (split.loudDbfs - around) * EDGE_SHARE));
    return dbfs[at]! > Math.max(LOWEST_EDGE_DBFS, top - EDGE_RANGE_DB, around + overNoise);
  };
  const pieces: Piece[] = [];
  let toneEnd = 0;
  for (let at = first; at < last; at++) {
    if (means[at]! <= limit) continue;
    let to = at;
    let top = SILENCE_DBFS;
    while (to < last && means[to]! > limit) top = Math.max(top, means[to++]!);
    if (to - at > windowsIn(LONG_MS) && (at > first || to < last)) {
      pieces.push(...piecesIn(dbfs, means, noise, at, to));
    } else if (isTone(dbfs, at + HALF_MEAN, to - HALF_MEAN)) {
      toneEnd = to;
    } else {
      const isStrong = top > limit + Math.min(STRONG_DB, split.gapDb * 0.3);
      pieces.push({ ...edgesOf(at, to, toneEnd, dbfs.length, (edge) => isEdge(edge, top)), isStrong });
    }
    at = to - 1;
  }
  return pieces;
}

/** Returns the start and the end of a piece. The search proceeds from the inside outwards, as far as there is sound. */
function edgesOf(from: number, to: number, earliest: number, length: number, isEdge: (at: number) => boolean) {
  let [start, end]: (number | null)[] = [null, null];
  let stop = from - STEP;
  for (let at = Math.min(from + INWARDS, to - 1); at >= Math.max(earliest, stop, from - OUTWARDS); at--) {
    if (!isEdge(at)) continue;
    start = at;
    stop = Math.min(stop, at - STEP);
  }
  stop = to + STEP;
  for (let at = Math.max(to - INWARDS, from); at < Math.min(length, stop, to + OUTWARDS); at++) {
    if (!isEdge(at)) continue;
    end = at + 1;
    stop = Math.max(stop, at + STEP);
  }
  return { from: start ?? Math.min(from + HALF_MEAN, to - 1), to: end ?? Math.max(to - HALF_MEAN, from + 1) };
}

function joined(pieces: readonly Piece[]): { from: number; to: number }[] {
  const segments: { from: number; to: number }[] = [];
  for (const { from, to } of pieces) {
    const last = segments.at(-1);
    if (last !== undefined && from - last.to < windowsIn(JOIN_MS)) last.to = Math.max(last.to, to);
    else segments.push({ from, to });
  }
  return segments;
}

/**
 * Number of windows in a mean level that detects a tone, whose level stays constant. Means of this length hide the beats between its
 * frequencies.
 */
const TONE_MEAN = windowsIn(25);
const TONE_EDGE = windowsIn(15);
const TONE_RANGE_DB = 1.5;

/** Returns whether a stretch is a beep, a ring or a sustained chord. */
function isTone(dbfs: Float32Array, from: number, to: number): boolean {
  const inside = dbfs.subarray(from + TONE_EDGE, to - TONE_EDGE);
  if (inside.length < TONE_MEAN) return false;
  const means = meansOf(inside, TONE_MEAN).subarray(TONE_MEAN >> 1, inside.length - (TONE_MEAN >> 1));
  return Math.max(...means) - Math.min(...means) < TONE_RANGE_DB;
}

/**
 * A breath before speech is `BREATH_RANGE_DB` weaker than the loud parts of the speech. It is longer than `BREATH_MS`, and no consonant is
 * that long.
 */
const BREATH_RANGE_DB = 20;
const BREATH_MS = 280;

function startOf({ dbfs, isVoiceless }: SideLevels, from: number, to: number): number {
  const loud = dbfs.slice(from, to).sort()[Math.floor((to - from) * 0.9)]!;
  let start = from;
  while (start < to && dbfs[start]! < loud - BREATH_RANGE_DB) start++;
  const voiceless = isVoiceless.subarray(from, start).reduce((sum, flag) => sum + flag, 0);
  return start - from > windowsIn(BREATH_MS) && voiceless > (start - from) / 2 ? start : from;
}

function loudLevel(dbfs: Float32Array, segments: readonly { from: number; to: number }[]): number {
  const isSpeech = new Uint8Array(dbfs.length);
  for (const { from, to } of segments) isSpeech.fill(1, from, to);
  return percentile(dbfs, 0.9, (_, at) => isSpeech[at] === 1) ?? 0;
}

function meansOf(dbfs: Float32Array, width: number): Float32Array {
  const powers = dbfs.map((level) => 10 ** (level / 10));
  const means = new Float32Array(dbfs.length).fill(SILENCE_DBFS);
  let sum = 0;
  for (let at = 0; at < dbfs.length + (width >> 1); at++) {
    sum += powers[at] ?? 0;
    if (at >= width) sum -= powers[at - width]!;
    const middle = at - (width >> 1);
    if (middle >= 0) means[middle] = dbfsOfPower(Math.max(0, sum) / width);
  }
  return means;
}

function noiseAround(dbfs: Float32Array, means: Float32Array, splitDbfs: number): Float32Array {
  const middleOf = (from: number, to: number): number | undefined => {
    const quiet = dbfs
      .subarray(from, to)
      .filter((_, at) => means[from + at]! <= splitDbfs)
      .sort();
    return quiet[quiet.length >> 1];
  };
  const ofAll = middleOf(0, dbfs.length) ?? SILENCE_DBFS;
  return Float32Array.from({ length: Math.ceil(dbfs.length / NOISE_STEP) }, (_, step) => {
    const at = step * NOISE_STEP;
    return middleOf(Math.max(0, at - NOISE_REACH), at + NOISE_REACH) ?? ofAll;
  });
}

function levelsOf(dbfs: Float32Array, segments: readonly SpeechSegment[]) {
  let [speech, speechWindows] = [0, 0];
  const isSpeech = new Uint8Array(dbfs.length);
  for (const { startMs, endMs } of segments) isSpeech.fill(1, startMs / WINDOW_MS, endMs / WINDOW_MS);
  const pauseLimit = (percentile(dbfs, 0.9, (_, at) => isSpeech[at] === 1) ?? 0) - 30;
  for (let at = 0; at < dbfs.length; at++) {
    if (isSpeech[at] === 0 || dbfs[at]! < pauseLimit) continue;
    speech += 10 ** (dbfs[at]! / 10);
    speechWindows++;
  }
  return {
    speechDbfs: speechWindows === 0 ? null : dbfsOfPower(speech / speechWindows),
    floorDbfs: percentile(dbfs, 0.5, (_, at) => isSpeech[at] === 0) ?? SILENCE_DBFS,
  };
}

/** Returns a percentile of the selected levels, rounded to half a decibel; null when no level is selected. */
function percentile(
  dbfs: Float32Array,
  share: number,
  isSelected: (level: number, at: number) => boolean,
): number | null {
  const bins = new Uint32Array(2 * -SILENCE_DBFS + 1);
  let count = 0;
  for (let at = 0; at < dbfs.length; at++) {
    if (!isSelected(dbfs[at]!, at)) continue;
    bins[Math.min(bins.length - 1, Math.round((dbfs[at]! - SILENCE_DBFS) * 2))]!++;
    count++;
  }
  let left = Math.floor(count * share);
  for (let bin = 0; bin < bins.length; bin++) {
    left -= bins[bin]!;
    if (left < 0) return SILENCE_DBFS + bin / 2;
  }
  return null;
}
