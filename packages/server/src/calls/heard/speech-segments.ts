import { dbfsOfPower, SILENCE_DBFS } from "../../audio/level.ts";
import type { HeardParty, SpeechSegment } from "../call.ts";
import { type SideLevels, WINDOW_MS } from "./side-levels.ts";

/** A gap in which a side is quiet shorter than this belongs to its speech: a stop, a breath. */
const JOIN_MS = 350;

/** Sound shorter than this is a click. */
const SHORTEST_MS = 60;

/** Levels below this are no speech, whatever is around them. */
const LOWEST_DBFS = -78;

/** Speech starts at most this far below the loud parts of speech; once it has started, weak sounds belong to it for longer. */
const START_RANGE_DB = 30;
const EDGE_RANGE_DB = 46;

/**
 * Number of windows that the edge of speech may step over: a voice that fades is quiet between its pulses, and
 * before the release of a stop.
 */
const REACH = 80 / WINDOW_MS;

/** Speech starts when half of the next windows are loud, and not with a crackle. */
const START_WINDOWS = 30 / WINDOW_MS;

/** Speech has a part that is at most this far below the loud parts; a gust of noise has none. */
const LOUD_RANGE_DB = 18;

/** The noise around an edge is the quietest stretch of this length within this distance; a stretch is as loud as its loudest part. */
const QUIET_STRETCH_MS = 250;
const QUIET_REACH_MS = 4_000;
const QUIET_PART_MS = 50;

/** Speech is this far above the noise around it. */
const OVER_NOISE_DB = 8;

/** A stretch that is nearer to the loud parts than this is speech. */
const SPEECH_RANGE_DB = 15;

/** Noise that is nearer to the loud parts than this hides the weak parts of speech, and no longer moves the threshold. */
const NEAREST_NOISE_DB = 6;

/** Finds the speech of one side, its level, and the level between speech. Other work gets its turn after each step. */
export async function heardParty({ dbfs, clippedSamples }: SideLevels): Promise<HeardParty> {
  const loud = loudLevel(dbfs);
  await nextTurn();
  const noise = loud === null ? null : noiseAround(dbfs, loud);
  await nextTurn();
  const segments = loud === null || noise === null ? [] : segmentsOf(dbfs, noise, loud);
  await nextTurn();
  return { segments, ...levelsOf(dbfs, segments), clippedSamples };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Returns the level that nine tenths of the windows exceed. */
const quietLevel = (dbfs: Float32Array): number => percentile(dbfs, 0.1, () => true) ?? SILENCE_DBFS;

/** Returns the level that a tenth of the windows with sound exceeds; null when nothing is loud enough for speech. */
function loudLevel(dbfs: Float32Array): number | null {
  const quiet = quietLevel(dbfs);
  const loud = percentile(dbfs, 0.9, (level) => level > Math.max(LOWEST_DBFS, quiet + 8));
  return loud !== null && loud > LOWEST_DBFS + 23 ? loud : null;
}

function segmentsOf(dbfs: Float32Array, noise: Float32Array, loud: number): SpeechSegment[] {
  const isOver = (at: number, rangeDb: number) =>
    at < dbfs.length &&
    dbfs[at]! > Math.max(LOWEST_DBFS, loud - rangeDb, Math.min(noise[at]! + OVER_NOISE_DB, loud - NEAREST_NOISE_DB));
  const isLoud = (at: number) => isOver(at, START_RANGE_DB);
  const isStart = (at: number) => {
    if (!isLoud(at)) return false;
    let count = 0;
    for (let next = at; next < at + START_WINDOWS; next++) if (isLoud(next)) count++;
    return count >= START_WINDOWS / 2;
  };
  const isEdge = (at: number) => isOver(at, EDGE_RANGE_DB);
  const pieces: [number, number][] = [];
  for (let at = 0; at < dbfs.length; at++) {
    if (!isStart(at)) continue;
    let [start, end] = [at, at + 1];
    const before = pieces.at(-1)?.[1] ?? 0;
    for (let next = start - 1; next >= before && next >= start - REACH; next--) if (isEdge(next)) start = next;
    for (let next = end; next < dbfs.length && next < end + REACH; next++) if (isEdge(next)) end = next + 1;
    pieces.push([start, end]);
    at = end - 1;
  }
  const segments = joined(pieces.map(([start, end]) => ({ startMs: start * WINDOW_MS, endMs: end * WINDOW_MS })));
  return segments.filter(({ startMs, endMs }) => {
    const levels = dbfs.subarray(startMs / WINDOW_MS, endMs / WINDOW_MS);
    return endMs - startMs >= SHORTEST_MS && levels.some((level) => level > loud - LOUD_RANGE_DB);
  });
}

/** Joins pieces over short gaps. */
function joined(pieces: readonly SpeechSegment[]): SpeechSegment[] {
  const segments: SpeechSegment[] = [];
  for (const { startMs, endMs } of pieces) {
    const last = segments.at(-1);
    if (last !== undefined && startMs - last.endMs < JOIN_MS) last.endMs = endMs;
    else segments.push({ startMs, endMs });
  }
  return segments;
}

/** Returns for each window the level of the quietest stretch nearby. */
function noiseAround(dbfs: Float32Array, loud: number): Float32Array {
  const width = QUIET_PART_MS / WINDOW_MS;
  const [stretch, reach] = [QUIET_STRETCH_MS / QUIET_PART_MS, QUIET_REACH_MS / QUIET_PART_MS];
  const parts = new Float32Array(Math.ceil(dbfs.length / width)).fill(SILENCE_DBFS);
  for (let at = 0; at < dbfs.length; at++) {
    const part = Math.floor(at / width);
    parts[part] = Math.max(parts[part]!, dbfs[at]!);
  }
  const quiet = quietLevel(dbfs);
  const quietest = extremes(extremes(parts, stretch, Math.max), 2 * reach - stretch + 1, Math.min);
  const noise = parts.map((_, part) => {
    const level = quietest[Math.max(0, part - reach)]!;
    // Without a quiet stretch nearby, as in a long speech or at the end of a recording that cuts off speech, the quiet parts of the whole count.
    return level > loud - SPEECH_RANGE_DB ? Math.min(level, quiet) : level;
  });
  return dbfs.map((_, at) => noise[Math.floor(at / width)]!);
}

/** Returns for each position the largest or the smallest of the next levels, by doubling the number of levels that are compared. */
function extremes(levels: Float32Array, length: number, better: (x: number, y: number) => number): Float32Array {
  let best = levels;
  for (let covered = 1; covered < length;) {
    const step = Math.min(covered, length - covered);
    const shorter = best;
    best = shorter.map((level, at) => better(level, shorter[Math.min(at + step, shorter.length - 1)]!));
    covered += step;
  }
  return best;
}

function levelsOf(dbfs: Float32Array, segments: readonly SpeechSegment[]) {
  let [speech, speechWindows] = [0, 0];
  const isSpeech = new Uint8Array(dbfs.length);
  for (const { startMs, endMs } of segments) isSpeech.fill(1, startMs / WINDOW_MS, endMs / WINDOW_MS);
  const pauseLimit = percentile(dbfs, 0.9, (_, at) => isSpeech[at] === 1) ?? 0;
  for (let at = 0; at < dbfs.length; at++) {
    if (isSpeech[at] === 0 || dbfs[at]! < pauseLimit - START_RANGE_DB) continue;
    speech += 10 ** (dbfs[at]! / 10);
    speechWindows++;
  }
  return {
    speechDbfs: speechWindows === 0 ? null : dbfsOfPower(speech / speechWindows),
    floorDbfs: percentile(dbfs, 0.5, (_, at) => isSpeech[at] === 0) ?? SILENCE_DBFS,
  };
}

/** Returns the level at a share of the sorted levels that a filter selects, to half a decibel; null without any. */
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
