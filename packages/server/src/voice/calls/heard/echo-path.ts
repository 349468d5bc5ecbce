import { CALL_RATE } from "../../audio/audio.ts";
import { createFourierTransform } from "../../audio/fourier.ts";
import { dbfsOfPower } from "../../audio/level.ts";

/** Delay and gain of an echo: of the caller's sound that returns on the agent's side. */
export type EchoPath = { delayMs: number; gainDb: number };

/** A stretch of the call that is searched for an echo. `path` is null when the caller's sound was not found on the agent's side. */
export type EchoStretch = { fromMs: number; path: EchoPath | null };

type EchoFinder = {
  push: (sent: Int16Array, agent: Int16Array) => void;
  /**
   * The longer delay and the higher gain of the two echoes that were found last, because one of them may be wrong. Null before an echo is
   * found.
   */
  readonly path: EchoPath | null;
  /** Returns all stretches of the call so far. The last one may be incomplete. */
  stretches: () => EchoStretch[];
};

/** Half of the samples are enough to find a delay. Each pair of samples is averaged, so that higher frequencies are attenuated. */
const THINNED = 2;
const RATE = CALL_RATE / THINNED;

const MAX_DELAY = 0.6 * RATE;
/**
 * Number of samples in a piece of the caller's sound. A piece is compared with the agent's sound of the same time, extended by the largest
 * delay.
 */
const PIECE = 2 ** 12;
const LENGTH = 2 ** 14;
/** Number of pieces in a stretch. The echo may change from one stretch to the next. */
const STRETCH_PIECES = 16;
/** Before an echo is found, the search runs after every so many pieces. */
const FIRST_LOOKS = 2;

/** The frequency band of speech on a telephone. */
const [LOWEST_BIN, HIGHEST_BIN] = [200, 3_400].map((hz) => Math.round((hz * LENGTH) / RATE)) as [number, number];

/** A piece is compared only if the caller's samples in it have at least this mean power. */
const LEAST_POWER = 100 ** 2;

/**
 * The smallest accepted ratio of the highest correlation to the root mean square over all delays. By chance, the ratio is 3 to 8. Among
 * many voices it is 5 to 13, and for an echo at least 19.
 */
const LEAST_PEAK = 10;

export function createEchoFinder(): EchoFinder {
  const transform = createFourierTransform(LENGTH);
  const [real, imaginary] = [new Float64Array(LENGTH), new Float64Array(LENGTH)];
  // The sum of the whitened cross-spectra of all pieces of a stretch. In this sum, the agent's own speech averages out.
  const [sumReal, sumImaginary] = [new Float64Array(LENGTH), new Float64Array(LENGTH)];
  const done: EchoStretch[] = [];
  const sent = createThinned();
  const agent = createThinned();
  let pieces = 0;
  let hasSum = false;
  let current: EchoPath | null = null;
  let newest: EchoPath | null = null;
  let earlier: EchoPath | null = null;

  /**
   * Compares a piece of the caller's sound with the agent's sound. Returns false when the caller was too quiet or the agent's side was
   * silent.
   */
  function compare(at: number): boolean {
    let [power, other] = [0, 0];
    for (let next = at; next < at + PIECE; next++) {
      power += sent.samples[next]! ** 2;
      other += agent.samples[next]! ** 2;
    }
    // The rounding errors of digital silence would look like a perfect echo.
    if (power < LEAST_POWER * PIECE || other === 0) return false;
    real.fill(0);
    imaginary.fill(0);
    real.set(sent.samples.subarray(at, at + PIECE));
    imaginary.set(agent.samples.subarray(at, at + PIECE + MAX_DELAY));
    transform.forward(real, imaginary);
    // One transform yields the spectra of both sides, because both signals are real.
    for (let bin = LOWEST_BIN; bin <= HIGHEST_BIN; bin++) {
      const mirror = LENGTH - bin;
      const sentReal = real[bin]! + real[mirror]!;
      const sentImaginary = imaginary[bin]! - imaginary[mirror]!;
      const agentReal = imaginary[bin]! + imaginary[mirror]!;
      const agentImaginary = real[mirror]! - real[bin]!;
      const crossReal = agentReal * sentReal + agentImaginary * sentImaginary;
      const crossImaginary = agentImaginary * sentReal - agentReal * sentImaginary;
      const size = Math.sqrt(crossReal ** 2 + crossImaginary ** 2) + 1e-9;
      sumReal[bin]! += crossReal / size;
      sumImaginary[bin]! += crossImaginary / size;
    }
    return true;
  }

  /** Returns the delay and the gain of the echo; null when the highest correlation may be chance. */
  function find(): EchoPath | null {
    // The transform of the conjugate is the inverse transform. The missing mirrored half only halves the result.
    for (let bin = 0; bin < LENGTH; bin++) {
      real[bin] = sumReal[bin]!;
      imaginary[bin] = -sumImaginary[bin]!;
    }
    transform.forward(real, imaginary);
    let [best, sum] = [0, 0];
    for (let delay = 0; delay < MAX_DELAY; delay++) {
      sum += real[delay]! ** 2;
      if (real[delay]! > real[best]!) best = delay;
    }
    if (real[best]! < LEAST_PEAK * Math.sqrt(sum / MAX_DELAY)) return null;
    return { delayMs: (best / RATE) * 1_000, gainDb: gainAt(best) };
  }

  /** Estimates the gain of the echo by least squares. Noise does not raise this estimate. */
  function gainAt(delay: number): number {
    let [product, power] = [0, 0];
    for (let at = 0; at + delay < agent.length; at++) {
      product += sent.samples[at]! * agent.samples[at + delay]!;
      power += sent.samples[at]! ** 2;
    }
    return power === 0 ? 0 : dbfsOfPower((product / power) ** 2);
  }

  function comparePieces(): void {
    while (agent.length >= pieces * PIECE + PIECE + MAX_DELAY) {
      hasSum = compare(pieces * PIECE) || hasSum;
      pieces++;
      const isEnd = pieces === STRETCH_PIECES;
      const isDue = isEnd || (newest === null && pieces % FIRST_LOOKS === 0);
      if (hasSum && isDue) current = find();
      if (hasSum && isDue && current !== null) [earlier, newest] = [newest, current];
      if (isEnd) end();
    }
  }

  function end(): void {
    done.push({ fromMs: fromMs(), path: current });
    sumReal.fill(0);
    sumImaginary.fill(0);
    sent.drop(STRETCH_PIECES * PIECE);
    agent.drop(STRETCH_PIECES * PIECE);
    pieces = 0;
    hasSum = false;
    current = null;
  }

  const fromMs = () => (done.length * STRETCH_PIECES * PIECE * 1_000) / RATE;

  return {
    push(sentFrame, agentFrame) {
      sent.add(sentFrame);
      agent.add(agentFrame);
      comparePieces();
    },
    get path() {
      if (newest === null || earlier === null) return newest;
      const [a, b] = [newest, earlier];
      return { delayMs: Math.max(a.delayMs, b.delayMs), gainDb: Math.max(a.gainDb, b.gainDb) };
    },
    stretches: () => [...done, { fromMs: fromMs(), path: hasSum ? find() : null }],
  };
}

/** Stores the sound of one side at the sample rate `RATE`: one stretch, and the sound within the largest delay after it. */
function createThinned() {
  const samples = new Float64Array(STRETCH_PIECES * PIECE + 2 * PIECE + 2 * MAX_DELAY);
  let length = 0;
  let waiting: number | null = null;
  return {
    samples,
    get length() {
      return length;
    },
    add(frame: Int16Array) {
      for (const sample of frame) {
        if (waiting === null) waiting = sample;
        else {
          samples[length++] = (waiting + sample) / 2;
          waiting = null;
        }
      }
    },
    drop(count: number) {
      samples.copyWithin(0, count, length);
      length -= count;
    },
  };
}
