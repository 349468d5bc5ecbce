import { dbfsOfPower, powerWithoutOffset } from "./level.ts";

/** The start or the end of speech, in milliseconds since the first frame: the time of the edge, not of its discovery. */
export type VoiceEdge = { kind: "started"; atMs: number } | { kind: "stopped"; startedMs: number; atMs: number };

/** A detector of speech in a stream of frames. */
export type VoiceActivity = {
  /** Returns the edge that this frame proves, or null. */
  push: (frame: Int16Array) => VoiceEdge | null;
  readonly isSpeaking: boolean;
  /** The level of the noise between speech. */
  readonly floorDbfs: number;
};

type VoiceActivitySettings = {
  rate: number;
  /** Sound shorter than this is no speech. */
  onMs: number;
  /** Silence shorter than this is a pause inside speech. */
  offMs: number;
};

/** Speech is this far above the noise; while it lasts, weaker sounds belong to it down to `END_DB`. */
const START_DB = 12;
const END_DB = 8;

/** Bounds of the threshold: quieter sounds are never speech, louder ones always are. */
const LOWEST_DBFS = -55;
const HIGHEST_DBFS = -28;

/** The floor is the lowest level of this time, in parts: speech has a pause in it, and a constant noise has none. */
const FLOOR_PARTS = 8;
const FLOOR_PART_MS = 250;

/** The floor before that time has passed. */
const FIRST_FLOOR_DBFS = -70;

/** Creates a detector by energy with an adaptive floor: for sound that is cleaner than 10 dB. */
export function createVoiceActivity({ rate, onMs, offMs }: VoiceActivitySettings): VoiceActivity {
  const floor = createFloor();
  let isSpeaking = false;
  let nowMs = 0;
  let startedMs = 0;
  // The possible edge: the state changes when the opposite state lasts long enough.
  let edgeMs: number | null = null;

  return {
    push(frame) {
      const frameMs = (frame.length / rate) * 1_000;
      const level = dbfsOfPower(powerWithoutOffset(frame));
      const margin = isSpeaking ? END_DB : START_DB;
      const isLoud = level > Math.min(HIGHEST_DBFS, Math.max(LOWEST_DBFS, floor.dbfs + margin));
      floor.push(level, frameMs);
      if (isLoud === isSpeaking) edgeMs = null;
      else edgeMs ??= nowMs;
      nowMs += frameMs;
      if (edgeMs === null || nowMs - edgeMs < (isSpeaking ? offMs : onMs)) return null;
      const atMs = Math.round(edgeMs);
      edgeMs = null;
      isSpeaking = isLoud;
      if (!isLoud) return { kind: "stopped", startedMs, atMs };
      startedMs = atMs;
      return { kind: "started", atMs };
    },
    get isSpeaking() {
      return isSpeaking;
    },
    get floorDbfs() {
      return floor.dbfs;
    },
  };
}

function createFloor() {
  const parts: number[] = Array.from({ length: FLOOR_PARTS }, () => FIRST_FLOOR_DBFS);
  let lowest = Infinity;
  let partMs = 0;
  return {
    dbfs: FIRST_FLOOR_DBFS,
    push(level: number, frameMs: number) {
      lowest = Math.min(lowest, level);
      partMs += frameMs;
      if (partMs < FLOOR_PART_MS) return;
      parts.push(lowest);
      parts.shift();
      this.dbfs = Math.min(...parts);
      lowest = Infinity;
      partMs = 0;
    },
  };
}
