import { CALL_RATE, joined, sampleOf } from "../../../packages/server/src/voice/audio/audio.ts";
import { dbfsOfPower, factorOf, powerOf } from "../../../packages/server/src/voice/audio/level.ts";
import { mixed, scaled } from "../../../packages/server/src/voice/audio/mix.ts";
import {
  pink as pinkSource,
  white as whiteSource,
} from "../../../packages/server/src/voice/audio/surroundings/sources.ts";
import { seeded } from "../../../packages/server/src/base/seeded.ts";

// These functions return sounds at `CALL_RATE` that can be on the agent's side of a call but are not the agent's speech.

const atLevel = (sound: Int16Array, dbfs: number): Int16Array =>
  scaled(sound, factorOf(dbfs - dbfsOfPower(powerOf(sound))));

const generated = (length: number, next: (at: number) => number): Int16Array =>
  Int16Array.from({ length }, (_, at) => sampleOf(6_000 * next(at)));

export const whiteNoise = (length: number, dbfs: number, seed: string): Int16Array =>
  atLevel(generated(length, whiteSource(seeded(`white ${seed}`))), dbfs);

export const pinkNoise = (length: number, dbfs: number, seed: string): Int16Array =>
  atLevel(generated(length, pinkSource(seeded(`pink ${seed}`))), dbfs);

/** Returns the noise of many people who speak at once: the sum of several endless loops of speech. */
export function babble(
  length: number,
  dbfs: number,
  seed: string,
  speech: (seed: string) => Int16Array,
  talkers = 8,
): Int16Array {
  const random = seeded(`babble ${seed}`);
  const sum = new Float64Array(length);
  for (let talker = 0; talker < talkers; talker++) {
    const loop = joined(Array.from({ length: 6 }, (_, at) => atLevel(speech(`${seed} ${talker} ${at}`), -26)));
    let from = Math.floor(random() * loop.length);
    for (let at = 0; at < length; at++) {
      sum[at]! += loop[from]!;
      if (++from === loop.length) from = 0;
    }
  }
  return atLevel(Int16Array.from(sum, sampleOf), dbfs);
}

const sine = (hz: number, at: number): number => Math.sin((2 * Math.PI * hz * at) / CALL_RATE);

/** Returns chords with harmonics; a new chord begins every 1.5 s. */
export function chords(length: number, dbfs: number): Int16Array {
  const notes = [
    [233.1, 293.7, 349.2],
    [174.6, 220, 261.6],
    [207.7, 261.6, 311.1],
  ];
  return atLevel(
    generated(length, (at) => {
      const chord = notes[Math.floor(at / (1.5 * CALL_RATE)) % notes.length]!;
      return chord.reduce((sum, hz) => sum + sine(hz, at) / 4 + sine(2 * hz, at) / 9 + sine(3 * hz, at) / 16, 0);
    }),
    dbfs,
  );
}

/** Returns hold music: a melody of plucked notes over a beat. */
export function tune(length: number, dbfs: number, seed: string): Int16Array {
  const random = seeded(`tune ${seed}`);
  const scale = [261.6, 293.7, 329.6, 392, 440, 523.3];
  const beat = Math.round(0.3 * CALL_RATE);
  const melody = Array.from({ length: Math.ceil(length / beat) }, () => scale[Math.floor(random() * scale.length)]!);
  return atLevel(
    generated(length, (at) => {
      const hz = melody[Math.floor(at / beat)]!;
      const since = (at % beat) / CALL_RATE;
      const drum = Math.exp(-60 * since) * (random() * 2 - 1);
      return Math.exp(-5 * since) * (sine(hz, at) + 0.4 * sine(2 * hz, at)) + 0.5 * drum + 0.3 * sine(130.8, at);
    }),
    dbfs,
  );
}

export const hum = (length: number, dbfs: number): Int16Array =>
  atLevel(
    generated(length, (at) => [1, 2, 3, 5, 7].reduce((sum, harmonic) => sum + sine(60 * harmonic, at) / harmonic, 0)),
    dbfs,
  );

/** Returns a tone of these frequencies that fades in and out in 5 ms. */
export function beep(hz: readonly number[], ms: number, dbfs: number): Int16Array {
  const length = Math.round((ms * CALL_RATE) / 1_000);
  const ramp = CALL_RATE / 200;
  const edge = (at: number) => Math.min(1, at / ramp, (length - at) / ramp);
  return atLevel(
    generated(length, (at) => edge(at) * hz.reduce((sum, each) => sum + sine(each, at), 0)),
    dbfs,
  );
}

/** Returns the sound of breathing in: noise that swells and fades. */
export function breath(ms: number, dbfs: number, seed: string): Int16Array {
  const noise = pinkNoise(Math.round((ms * CALL_RATE) / 1_000), -20, `breath ${seed}`);
  return atLevel(
    noise.map((sample, at) => sampleOf(sample * Math.sin((Math.PI * at) / noise.length))),
    dbfs,
  );
}

/** Returns a side of a call with a sound that ends `gapMs` before each of the starts. */
export function before(
  starts: readonly number[],
  gapMs: number,
  length: number,
  sound: (at: number) => Int16Array,
): Int16Array {
  const side = new Int16Array(length);
  for (const [at, startMs] of starts.entries()) {
    const each = sound(at);
    const from = Math.round(((startMs - gapMs) * CALL_RATE) / 1_000) - each.length;
    if (from >= 0) side.set(each, from);
  }
  return side;
}

type EchoOptions = { delayMs: number; jumpMs?: number; isClipped?: boolean };

/** Returns the caller's sound as a loudspeaker and a small room reflect it. In the middle, the delay changes by `jumpMs`. */
export function echoOf(
  caller: Int16Array,
  db: number,
  { delayMs, jumpMs = 0, isClipped = false }: EchoOptions,
): Int16Array {
  const reflections = [
    [0, 1],
    [2.7, -0.4],
    [6.1, 0.45],
    [11.9, 0.25],
    [19.3, -0.15],
    [33, 0.08],
  ] as const;
  let low = 0;
  const played = Float64Array.from(caller, (sample) => {
    const value = isClipped ? Math.tanh((sample / 32_768) * 8) * 5_000 : sample;
    return (low += 0.5 * (value - low));
  });
  const sum = new Float64Array(caller.length);
  for (const [ms, share] of reflections) {
    for (let at = 0; at < sum.length; at++) {
      const delay = Math.round(((delayMs + ms + (at > sum.length / 2 ? jumpMs : 0)) * CALL_RATE) / 1_000);
      if (at >= delay) sum[at]! += share * played[at - delay]!;
    }
  }
  return Int16Array.from(sum, (value) => sampleOf(value * factorOf(db)));
}

/** Adds sounds; the result is as long as the first sound. */
export const together = (...sounds: readonly Int16Array[]): Int16Array => sounds.reduce(mixed);
