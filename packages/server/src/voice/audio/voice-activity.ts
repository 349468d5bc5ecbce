import { createLevelHistogram, foregroundSplit, SPEECH_GAP_DB, SPLIT_MEAN_MS } from "./level-split.ts";
import { dbfsOfPower, powerWithoutOffset, SILENCE_DBFS } from "./level.ts";
import type { SoundKind, SoundKinds } from "./sound-kinds.ts";

/** The start or the end of speech, in milliseconds since the first frame: when it happened, not when it was detected. */
export type VoiceEdge = { kind: "started"; atMs: number } | { kind: "stopped"; startedMs: number; atMs: number };

/** A detector of speech in a stream of frames. */
export type VoiceActivity = {
  /** Returns the start or end that is certain with this frame, or null. A frame that `isEcho` counts as quiet as the noise. */
  push: (frame: Int16Array, isEcho?: boolean) => VoiceEdge | null;
  readonly isSpeaking: boolean;
};

type VoiceActivitySettings = {
  rate: number;
  /** Sound shorter than this is no speech. */
  onMs: number;
  /** Silence shorter than this is a pause inside speech. */
  offMs: number;
  /** Finds tones and breath, which are no speech; without it every sound counts. */
  kinds?: SoundKinds;
};

/** Quieter sounds are never speech. */
const LOWEST_DBFS = -55;

/** The limit until enough is known, and the least limit while the levels form no two groups. */
const USUAL_DBFS = -45;

/**
 * While the levels form no two groups, speech is this far above their median. Before this time the sound may itself be speech.
 */
const OVER_NOISE_DB = 6;
const STEADY_MS = 2_000;

/**
 * The first limit is computed after this time, each limit from the newest levels of this time, and a new one at this interval.
 */
const FIRST_MS = 800;
const NEWEST_MS = 20_000;
const LIMIT_EVERY_MS = 200;

/** Creates a detector by energy: sound above the level that splits the newest levels in two groups is speech. */
export function createVoiceActivity({ rate, onMs, offMs, kinds }: VoiceActivitySettings): VoiceActivity {
  const limit = createLimit();
  const opening = kinds === undefined ? null : createOpening(kinds);
  const meanMs = Math.max(SPLIT_MEAN_MS, onMs);
  const newest: LoudFrame[] = [];
  let isSpeaking = false;
  let nowMs = 0;
  let startedMs = 0;
  let loudUntilMs = 0;

  /** Returns the loud frames in the newest mean, if the mean itself is loud. */
  function loudFrames(): LoudFrame[] {
    const mean = dbfsOfPower(newest.reduce((sum, { power }) => sum + power, 0) / newest.length);
    limit.push(mean, nowMs);
    return mean > limit.dbfs ? newest.filter(({ power }) => dbfsOfPower(power) > limit.dbfs) : [];
  }

  return {
    push(frame, isEcho = false) {
      const frameMs = (frame.length / rate) * 1_000;
      newest.push({ atMs: nowMs, power: isEcho ? limit.quietPower : powerWithoutOffset(frame) });
      nowMs += frameMs;
      kinds?.push(frame);
      if (newest[0]!.atMs < nowMs - meanMs) newest.shift();
      const loud = loudFrames();
      if (loud.length > 0) loudUntilMs = Math.max(loudUntilMs, loud.at(-1)!.atMs + frameMs);
      if (!isSpeaking) {
        const fromMs = opening === null ? loud[0]?.atMs : opening.next(loud, frameMs);
        if (loud.length * frameMs < onMs || fromMs === undefined) return null;
        isSpeaking = true;
        opening?.clear();
        startedMs = Math.round(fromMs);
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

type LoudFrame = { atMs: number; power: number };

/** The kind of a sound is known only after this length of it. */
const EDGE_MS = 60;

/** Speech begins only once the voice in it has this length; sound without a voice counts as speech after this time. */
const VOICED_MS = 30;
const VOICELESS_MS = 2_000;

/**
 * Speech begins after a preceding tone of this length, or after a breath of this length that is this much weaker than the voice.
 */
const TONE_MS = 50;
const BREATH_MS = 240;
const BREATH_RANGE_DB = 12;

/** Decides when speech begins in a sound: not before it has a voice, and after any tone or breath before the voice. */
function createOpening(kinds: SoundKinds) {
  let frames: (LoudFrame & { kind: SoundKind | null })[] = [];

  /** Returns the position of the frame with which the speech begins. */
  function start(frameMs: number): number {
    const voiced = frames.findIndex(({ kind }) => kind === "voiced");
    if (voiced < 0) return 0;
    const before = frames.slice(0, voiced);
    if (before.filter(({ kind }) => kind === "tone").length * frameMs >= TONE_MS)
      return before.findLastIndex(({ kind }) => kind === "tone") + 1;
    if (before.length * frameMs < BREATH_MS) return 0;
    const loudest = (some: readonly LoudFrame[]) => some.reduce((most, { power }) => Math.max(most, power), 0);
    const isWeaker = dbfsOfPower(loudest(before)) < dbfsOfPower(loudest(frames.slice(voiced))) - BREATH_RANGE_DB;
    return isWeaker ? voiced : 0;
  }

  return {
    /** Takes the loud frames of the newest mean; returns the time at which speech began, as soon as it is known. */
    next(loud: readonly LoudFrame[], frameMs: number): number | undefined {
      const last = frames.at(-1);
      if (loud.length === 0) frames = [];
      for (const frame of loud) if (last === undefined || frame.atMs > last.atMs) frames.push({ ...frame, kind: null });
      const newest = frames.at(-1);
      if (newest === undefined) return undefined;
      const sinceMs = newest.atMs - frames[0]!.atMs;
      if (sinceMs >= EDGE_MS && newest !== last) newest.kind = kinds.kind();
      const voicedMs = frames.filter(({ kind }) => kind === "voiced").length * frameMs;
      return voicedMs >= VOICED_MS || sinceMs >= VOICELESS_MS ? frames[start(frameMs)]!.atMs : undefined;
    },
    clear: () => void (frames = []),
  };
}

/** Creates the limit above which sound is speech. It is computed from the newest levels. */
function createLimit() {
  const histogram = createLevelHistogram();
  const levels: { dbfs: number; atMs: number }[] = [];
  let dueMs = FIRST_MS;
  // Kept for a while, because a talker in the background may pause.
  let foreground = { dbfs: SILENCE_DBFS, untilMs: 0 };
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
      if (split.gapDb >= SPEECH_GAP_DB) {
        const newest = Float32Array.from(levels, (level) => level.dbfs);
        const stepMs = (nowMs - levels[0]!.atMs) / Math.max(1, levels.length - 1);
        const found = foregroundSplit(newest, stepMs, split);
        if (found !== null) foreground = { dbfs: found.dbfs, untilMs: nowMs + NEWEST_MS };
        this.dbfs = Math.max(LOWEST_DBFS, nowMs < foreground.untilMs ? foreground.dbfs : split.dbfs);
      } else if (nowMs >= STEADY_MS) this.dbfs = Math.max(USUAL_DBFS, middle + OVER_NOISE_DB);
    },
  };
}
