import { CALL_RATE, sampleOf } from "../../../packages/server/src/voice/audio/audio.ts";
import { seeded } from "../../../packages/server/src/base/seeded.ts";

/** One stretch of speech, in milliseconds. */
export type Stretch = readonly [startMs: number, endMs: number];

/**
 * Creates speech of an exact length, for example with a speech synthesizer. The speech is as loud at its start and end as in the
 * middle.
 */
type SpeechSource = (ms: number, seed: string) => Int16Array;

const samplesIn = (ms: number): number => Math.round((ms * CALL_RATE) / 1_000);

/**
 * Returns a sound like speech: a pitch with harmonics, syllables with dips of 12 dB between them, short silences, and sometimes a
 * hiss. The sound fades in and out in 8 ms.
 */
export function speechLike(ms: number, seed: string, dbfs = -20): Int16Array {
  const random = seeded(`speech ${seed}`);
  const pitch = 90 + random() * 140;
  const length = samplesIn(ms);
  const ramp = samplesIn(8);
  const sound = new Float64Array(length);
  let phase = 0;
  let syllableLeft = 0;
  let syllableLength = 1;
  let brightness = 0.5;
  let isHiss = false;
  for (let at = 0; at < length; at++) {
    if (syllableLeft-- <= 0) {
      syllableLength = samplesIn(120 + random() * 160);
      syllableLeft = syllableLength;
      brightness = 0.2 + random() * 0.6;
      isHiss = random() < 0.2;
    }
    const within = 1 - syllableLeft / syllableLength;
    const envelope = 0.25 + 0.75 * Math.sin(Math.PI * Math.min(1, within)) ** 2;
    const isClosed = within > 0.9 && !isHiss && at > samplesIn(150) && at < length - samplesIn(150);
    phase += (pitch * (1 + 0.05 * Math.sin(at / 3_000))) / CALL_RATE;
    let voice = 0;
    for (let harmonic = 1; harmonic <= 8; harmonic++) {
      voice += brightness ** harmonic * Math.sin(2 * Math.PI * harmonic * phase);
    }
    const edge = Math.min(1, (at + 1) / ramp, (length - at) / ramp);
    sound[at] = edge * envelope * (isClosed ? 0.02 : 1) * (isHiss ? 0.5 * (random() * 2 - 1) : voice);
  }
  const power = sound.reduce((sum, value) => sum + value * value, 0) / Math.max(1, length);
  const factor = (10 ** (dbfs / 20) * 32_768) / Math.sqrt(power || 1);
  return Int16Array.from(sound, (value) => sampleOf(value * factor));
}

/** Returns one side of a recording: speech in the stretches, and digital silence between them. */
export function sideOf(
  stretches: readonly Stretch[],
  totalMs: number,
  seed: string,
  speak: SpeechSource = speechLike,
): Int16Array {
  const side = new Int16Array(samplesIn(totalMs));
  for (const [at, [startMs, endMs]] of stretches.entries()) {
    const speech = speak(endMs - startMs, `${seed} ${at}`);
    side.set(speech.subarray(0, side.length - samplesIn(startMs)), samplesIn(startMs));
  }
  return side;
}
