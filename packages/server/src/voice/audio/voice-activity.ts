import { createLevelHistogram, foregroundSplit, SPEECH_GAP_DB, SPLIT_MEAN_MS } from "./level-split.ts";
import { dbfsOfPower, powerWithoutOffset, SILENCE_DBFS } from "./level.ts";
import type { SoundKind, SoundKinds } from "./sound-kinds.ts";

/**
 * Start or end of speech. Times are in milliseconds since the first frame. They say when the speech started or ended, and not when it was
 * detected.
 */
export type VoiceEdge = { kind: "started"; atMs: number } | { kind: "stopped"; startedMs: number; atMs: number };

export type VoiceActivity = {
  /** Returns the start or the end of speech as soon as it is certain, else null. A frame with `isEcho` counts as background noise. */
  push: (frame: Int16Array, isEcho?: boolean) => VoiceEdge | null;
  readonly isSpeaking: boolean;
};

type VoiceActivitySettings = {
  rate: number;
  /** Smallest duration of speech in milliseconds. */
  onMs: number;
  /** Smallest duration of the silence that ends speech, in milliseconds. */
  offMs: number;
  /** Recognizes tones and breath, which are not speech. When undefined, every sound counts as speech. */
  kinds?: SoundKinds;
};

/** Sound below this level is never speech. */
const LOWEST_DBFS = -55;

/**
 * The level above which sound counts as speech, before a limit is computed from the sound itself. It is also the lowest limit while the
 * levels do not form two groups.
 */
const USUAL_DBFS = -45;

/**
 * While the levels of the sound do not form a quiet and a loud group, the limit for speech is `OVER_NOISE_DB` above the median level. In
 * the first `STEADY_MS`, the limit is not raised in this way, because all sound so far may be speech.
 */
const OVER_NOISE_DB = 6;
const STEADY_MS = 2_000;

/**
 * The first limit for speech is computed after `FIRST_MS`, and a new limit every `LIMIT_EVERY_MS`. Each limit is computed from the levels
 * of the last `NEWEST_MS`.
 */
const FIRST_MS = 800;
const NEWEST_MS = 20_000;
const LIMIT_EVERY_MS = 200;

/** Detects speech: sound above a limit, which divides the newest levels into a quiet and a loud group. */
export function createVoiceActivity({ rate, onMs, offMs, kinds }: VoiceActivitySettings): VoiceActivity {
  const limit = createLimit();
  const opening = kinds === undefined ? null : createOpening(kinds);
  const meanMs = Math.max(SPLIT_MEAN_MS, onMs);
  const newest: LoudFrame[] = [];
  let isSpeaking = false;
  let nowMs = 0;
  let startedMs = 0;
  let loudUntilMs = 0;

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

/** Duration of a sound after which its kind can be determined, in milliseconds. */
const EDGE_MS = 60;

/** Speech begins only when a voice has lasted `VOICED_MS`. Sound without a voice counts as speech after `VOICELESS_MS`. */
const VOICED_MS = 30;
const VOICELESS_MS = 2_000;

/**
 * Speech begins after a tone of at least `TONE_MS` that precedes the voice. It also begins after a breath of at least `BREATH_MS` that is
 * `BREATH_RANGE_DB` weaker than the voice.
 */
const TONE_MS = 50;
const BREATH_MS = 240;
const BREATH_RANGE_DB = 12;

/** Decides when speech begins within a sound: not before a voice is heard, and after any tone or breath that precedes the voice. */
function createOpening(kinds: SoundKinds) {
  let frames: (LoudFrame & { kind: SoundKind | null })[] = [];

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

function createLimit() {
  const histogram = createLevelHistogram();
  const levels: { dbfs: number; atMs: number }[] = [];
  let dueMs = FIRST_MS;
  // The limit that excludes a talker in the background stays in effect for some time, because the talker may pause.
  let foreground = { dbfs: SILENCE_DBFS, untilMs: 0 };
  return {
    dbfs: USUAL_DBFS,
    /** The power of the background noise. A tenth of the newest levels are lower. */
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
