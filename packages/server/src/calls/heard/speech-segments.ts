import { dbfsOfPower, SILENCE_DBFS } from "../../audio/level.ts";
import type { HeardParty, SpeechSegment } from "../call.ts";
import { type SideLevels, WINDOW_MS } from "./side-levels.ts";

/** A gap in which a side is quiet shorter than this belongs to its speech: a stop, a breath. */
const JOIN_MS = 350;

/** Sound shorter than this is a click. */
const SHORTEST_MS = 60;

/** Levels below this are no speech, whatever is around them. */
const LOWEST_DBFS = -62;

/** Speech starts at most this far below the loud parts of speech; once it has started, weak sounds belong to it for longer. */
const START_RANGE_DB = 30;
const EDGE_RANGE_DB = 38;

/** Noise around an edge is looked for within this distance. */
const FLOOR_REACH_MS = 1_000;
const FLOOR_WINDOW_MS = 50;

/** Finds the speech of one side, its level, and the level between speech. */
export function heardParty({ dbfs, clippedSamples }: SideLevels): HeardParty {
  const noise = floorAround(dbfs);
  const loud = loudLevel(dbfs);
  const segments = loud === null ? [] : segmentsOf(dbfs, noise, loud);
  return { segments, ...levelsOf(dbfs, segments), clippedSamples };
}

/** Returns the level that nine tenths of the windows exceed. */
const quietLevel = (dbfs: Float32Array): number => percentile(dbfs, 0.1, () => true) ?? SILENCE_DBFS;

/** Returns the level that a tenth of the windows with sound exceeds; null when nothing is loud enough for speech. */
function loudLevel(dbfs: Float32Array): number | null {
  const quiet = quietLevel(dbfs);
  const loud = percentile(dbfs, 0.9, (level) => level > Math.max(LOWEST_DBFS, quiet + 8));
  return loud !== null && loud > LOWEST_DBFS + 10 ? loud : null;
}

function segmentsOf(dbfs: Float32Array, noise: Float32Array, loud: number): SpeechSegment[] {
  // Half of the distance between noise and speech, at most 12 dB: noise that is near to the speech leaves no more room.
  const marginOver = (floor: number) => Math.min(12, Math.max(4, (loud - floor) / 2));
  const isStart = (at: number) =>
    dbfs[at]! > Math.max(LOWEST_DBFS, loud - START_RANGE_DB, noise[at]! + marginOver(noise[at]!));
  const isEdge = (at: number) =>
    dbfs[at]! > Math.max(LOWEST_DBFS, loud - EDGE_RANGE_DB, noise[at]! + marginOver(noise[at]!) * 0.7);
  const pieces: [number, number][] = [];
  for (let at = 0; at < dbfs.length; at++) {
    if (!isStart(at)) continue;
    let [start, end] = [at, at + 1];
    const before = pieces.at(-1)?.[1] ?? 0;
    while (start > before && isEdge(start - 1)) start--;
    while (end < dbfs.length && isEdge(end)) end++;
    pieces.push([start, end]);
    at = end - 1;
  }
  return joined(pieces.map(([start, end]) => ({ startMs: start * WINDOW_MS, endMs: end * WINDOW_MS })));
}

/** Joins pieces over short gaps, and drops clicks. */
function joined(pieces: readonly SpeechSegment[]): SpeechSegment[] {
  const segments: SpeechSegment[] = [];
  for (const { startMs, endMs } of pieces) {
    const last = segments.at(-1);
    if (last !== undefined && startMs - last.endMs < JOIN_MS) last.endMs = endMs;
    else segments.push({ startMs, endMs });
  }
  return segments.filter(({ startMs, endMs }) => endMs - startMs >= SHORTEST_MS);
}

/** Returns for each window the lowest level nearby, of windows of `FLOOR_WINDOW_MS`. */
function floorAround(dbfs: Float32Array): Float32Array {
  const width = FLOOR_WINDOW_MS / WINDOW_MS;
  const reach = FLOOR_REACH_MS / WINDOW_MS;
  const means = new Float32Array(Math.ceil(dbfs.length / width));
  for (let part = 0; part < means.length; part++) {
    const end = Math.min(dbfs.length, (part + 1) * width);
    let sum = 0;
    for (let at = part * width; at < end; at++) sum += 10 ** (dbfs[at]! / 10);
    means[part] = dbfsOfPower(sum / (end - part * width));
  }
  const parts = reach / width;
  // Speech that the end of the recording cuts off has no quiet side there: the quiet parts of the whole stand for it.
  const quiet = quietLevel(dbfs);
  const lowest = means.map((_, part) => {
    const nearby = means.subarray(Math.max(0, part - parts), part + parts + 1);
    return nearby.reduce((low, level) => Math.min(low, level), nearby.length > 2 * parts ? 0 : quiet);
  });
  return dbfs.map((_, at) => lowest[Math.floor(at / width)]!);
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
