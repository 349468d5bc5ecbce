import { CALL_RATE } from "./audio.ts";
import { createFourierTransform } from "./fourier.ts";

/** Kind of a sound: a tone or a chord of few notes, a voice, or anything else, such as breath or noise. */
export type SoundKind = "tone" | "voiced" | "other";

/** Classifies the newest sound in a stream of frames at `CALL_RATE`. */
export type SoundKinds = {
  push: (frame: Int16Array) => void;
  kind: () => SoundKind;
};

/** Number of samples in a spectrum: the newest 64 ms of sound. */
const LENGTH = 1_024;
const BIN_HZ = CALL_RATE / LENGTH;
const [LOWEST_BIN, HIGHEST_BIN] = [60, 3_800].map((hz) => Math.round(hz / BIN_HZ)) as [number, number];

/** Smallest share of a tone's power in its two highest peaks, and the number of bins on each side that belong to a peak. */
const TONE_SHARE = 0.97;
const PEAK_BINS = 2;
/** Largest difference between the levels of the two halves of a tone. The beats of two frequencies cause a difference of at most 1.7 dB. */
const TONE_CHANGE_DB = 2;

/**
 * The constants that detect a voice. Its waveform repeats after the period of its pitch, which is from 70 to 400 Hz. Noise repeats less
 * exactly.
 */
const THINNED = 4;
const PITCH_RATE = CALL_RATE / THINNED;
const PITCH_SAMPLES = 0.04 * PITCH_RATE;
const [SHORTEST_LAG, LONGEST_LAG] = [Math.round(PITCH_RATE / 400), Math.round(PITCH_RATE / 70)];
const LEAST_CORRELATION = 0.5;
/** Share of the previous sample that is subtracted from each sample. The subtraction equalizes noise that is weaker at high frequencies. */
const EMPHASIS = 0.9;

export function createSoundKinds(): SoundKinds {
  const transform = createFourierTransform(LENGTH);
  const shape = Float64Array.from({ length: LENGTH }, (_, at) => 0.5 - 0.5 * Math.cos((2 * Math.PI * at) / LENGTH));
  const [real, imaginary, powers] = [new Float64Array(LENGTH), new Float64Array(LENGTH), new Float64Array(LENGTH / 2)];
  const newest = new Int16Array(LENGTH);
  const pitch = new Float64Array(PITCH_SAMPLES);

  function isTone(): boolean {
    imaginary.fill(0);
    for (let at = 0; at < LENGTH; at++) real[at] = newest[at]! * shape[at]!;
    transform.forward(real, imaginary);
    let total = 0;
    for (let bin = LOWEST_BIN; bin <= HIGHEST_BIN; bin++) {
      powers[bin] = real[bin]! ** 2 + imaginary[bin]! ** 2;
      total += powers[bin]!;
    }
    return total > 0 && takePeak() + takePeak() > total * TONE_SHARE && changeDb() < TONE_CHANGE_DB;
  }

  function takePeak(): number {
    let top = LOWEST_BIN;
    for (let bin = LOWEST_BIN; bin <= HIGHEST_BIN; bin++) if (powers[bin]! > powers[top]!) top = bin;
    let sum = 0;
    for (let bin = Math.max(LOWEST_BIN, top - PEAK_BINS); bin <= Math.min(HIGHEST_BIN, top + PEAK_BINS); bin++) {
      sum += powers[bin]!;
      powers[bin] = 0;
    }
    return sum;
  }

  function changeDb(): number {
    let [first, second] = [1, 1];
    for (let at = 0; at < LENGTH / 2; at++) {
      first += newest[at]! ** 2;
      second += newest[at + LENGTH / 2]! ** 2;
    }
    return Math.abs(10 * Math.log10(first / second));
  }

  function isVoiced(): boolean {
    let before = 0;
    for (let at = 0; at < PITCH_SAMPLES; at++) {
      const from = LENGTH - (PITCH_SAMPLES - at) * THINNED;
      const mean = (newest[from]! + newest[from + 1]! + newest[from + 2]! + newest[from + 3]!) / THINNED;
      pitch[at] = mean - EMPHASIS * before;
      before = mean;
    }
    pitch[0] = 0;
    for (let lag = SHORTEST_LAG; lag <= LONGEST_LAG; lag++) {
      let [product, early, late] = [0, 0, 0];
      for (let at = lag; at < PITCH_SAMPLES; at++) {
        product += pitch[at]! * pitch[at - lag]!;
        early += pitch[at - lag]! ** 2;
        late += pitch[at]! ** 2;
      }
      if (product > LEAST_CORRELATION * Math.sqrt(early * late) && product > 0) return true;
    }
    return false;
  }

  return {
    push(frame) {
      newest.copyWithin(0, frame.length);
      newest.set(frame, LENGTH - frame.length);
    },
    kind: () => (isTone() ? "tone" : isVoiced() ? "voiced" : "other"),
  };
}
