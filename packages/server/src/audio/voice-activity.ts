import { createLevelHistogram, SPEECH_GAP_DB, SPLIT_MEAN_MS } from "./level-split.ts";
import { dbfsOfPower, powerWithoutOffset, SILENCE_DBFS } from "./level.ts";

/** The start or the end of speech, in milliseconds since the first frame: the time of the edge, not of its discovery. */
export type VoiceEdge = { kind: "started"; atMs: number } | { kind: "stopped"; startedMs: number; atMs: number };

/** A detector of speech in a stream of frames. */
export type VoiceActivity = {
  /** Returns the edge that this frame proves, or null. A frame that `isEcho` is as quiet as the noise. */
  push: (frame: Int16Array, isEcho?: boolean) => VoiceEdge | null;
  readonly isSpeaking: boolean;
};

type VoiceActivitySettings = {
  rate: number;
  /** Sound shorter than this is no speech. */
  onMs: number;
  /** Silence shorter than this is a pause inside speech. */
  offMs: number;
};

/** Quieter sounds are never speech. */
const LOWEST_DBFS = -55;

/** The limit before enough is known, and the least limit in a sound that has no two groups. */
const USUAL_DBFS = -45;

/** Speech is this far above a sound that has no two groups for this time; a shorter one may be speech itself. */
const OVER_NOISE_DB = 6;
const STEADY_MS = 2_000;

/** The levels that the limit comes from: enough of them, the newest ones, and a new limit after each of these times. */
const FIRST_MS = 800;
const NEWEST_MS = 20_000;
const LIMIT_EVERY_MS = 200;

/** Creates a detector by energy, above the level that splits the newest levels in two groups. */
export function createVoiceActivity({ rate, onMs, offMs }: VoiceActivitySettings): VoiceActivity {
  const limit = createLimit();
  const meanMs = Math.max(SPLIT_MEAN_MS, onMs);
  const newest: { atMs: number; power: number }[] = [];
  let isSpeaking = false;
  let nowMs = 0;
  let startedMs = 0;
  let loudUntilMs = 0;

  /** Returns the frames of the newest mean that are loud, if the mean is. */
  function loudFrames(): { atMs: number }[] {
    const mean = dbfsOfPower(newest.reduce((sum, { power }) => sum + power, 0) / newest.length);
    limit.push(mean, nowMs);
    return mean > limit.dbfs ? newest.filter(({ power }) => dbfsOfPower(power) > limit.dbfs) : [];
  }

  return {
    push(frame, isEcho = false) {
      const frameMs = (frame.length / rate) * 1_000;
      newest.push({ atMs: nowMs, power: isEcho ? limit.quietPower : powerWithoutOffset(frame) });
      nowMs += frameMs;
      if (newest[0]!.atMs < nowMs - meanMs) newest.shift();
      const loud = loudFrames();
      if (loud.length > 0) loudUntilMs = Math.max(loudUntilMs, loud.at(-1)!.atMs + frameMs);
      if (!isSpeaking) {
        if (loud.length * frameMs < onMs) return null;
        isSpeaking = true;
        startedMs = Math.round(loud[0]!.atMs);
        return { kind: "started", atMs: startedMs };
      }
      if (nowMs - loudUntilMs < offMs) return null;
      isSpeaking = false;
      return { kind: "stopped", startedMs, atMs: Math.round(loudUntilMs) };
    },
    get isSpeaking() {
      return isSpeaking;
    },
  };
}

/** The level that speech exceeds, by the newest levels. */
function createLimit() {
  const histogram = createLevelHistogram();
  const levels: { dbfs: number; atMs: number }[] = [];
  let dueMs = FIRST_MS;
  return {
    dbfs: USUAL_DBFS,
    /** The power of the noise. */
    quietPower: 0,
    push(dbfs: number, nowMs: number) {
      levels.push({ dbfs, atMs: nowMs });
      histogram.add(dbfs);
      if (levels[0]!.atMs < nowMs - NEWEST_MS) histogram.remove(levels.shift()!.dbfs);
      if (nowMs < dueMs) return;
      dueMs = nowMs + LIMIT_EVERY_MS;
      const split = histogram.split(levels.length * 0.005);
      const sorted = Float32Array.from(levels, (level) => level.dbfs).sort();
      const middle = sorted[sorted.length >> 1] ?? SILENCE_DBFS;
      this.quietPower = 10 ** (sorted[Math.floor(sorted.length / 10)]! / 10);
      if (split.gapDb >= SPEECH_GAP_DB) this.dbfs = Math.max(LOWEST_DBFS, split.dbfs);
      else if (nowMs >= STEADY_MS) this.dbfs = Math.max(USUAL_DBFS, middle + OVER_NOISE_DB);
    },
  };
}
