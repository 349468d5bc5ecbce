/** A packet that is late by at most this delay is still played. */
const DELAY_MS = 60;
const RATE = 8_000;
const DELAY = (DELAY_MS * RATE) / 1_000;
/** Limit of waiting samples, about a second of sound. It is a power of two, because timestamps wrap to zero. */
const CAPACITY = 8_192;
/** After more consecutive late packets than this, the buffer starts again: the other side's clock has jumped or stopped. */
const LATE_MAX = 3;
/**
 * When the sound waited too long during all of the last `OBSERVED_PACKETS` packets, `SKIPPED` samples are skipped. Too long means more than
 * `SPARE` samples beyond the delay.
 */
const OBSERVED_PACKETS = 100;
const SPARE = (80 * RATE) / 1_000;
const SKIPPED = (10 * RATE) / 1_000;

/** Buffer for the sound of an RTP stream at 8 kHz, in the order of its timestamps. */
export type JitterBuffer = {
  /** Returns whether the samples arrived in time to be played. */
  push: (timestamp: number, samples: Int16Array) => boolean;
  /** Returns the next samples, with silence in place of sound that did not arrive in time. */
  next: (length: number) => Int16Array;
  /** Starts again with the next packet, which belongs to another stream. */
  reset: () => void;
};

export function createJitterBuffer(): JitterBuffer {
  const ring = new Int16Array(CAPACITY);
  let cursor: number | undefined;
  let lateInRow = 0;
  let packets = 0;
  let leastAhead = CAPACITY;

  function reset(): void {
    cursor = undefined;
    ring.fill(0);
    lateInRow = 0;
    packets = 0;
    leastAhead = CAPACITY;
  }

  const start = (timestamp: number) => {
    reset();
    cursor = (timestamp - DELAY) >>> 0;
  };

  /** Skips sound when the clock of the other side runs faster than the clock of this process. */
  function observe(ahead: number): void {
    leastAhead = Math.min(leastAhead, ahead);
    if (++packets < OBSERVED_PACKETS) return;
    if (leastAhead > DELAY + SPARE) take(SKIPPED);
    packets = 0;
    leastAhead = CAPACITY;
  }

  function take(length: number): Int16Array {
    const samples = new Int16Array(length);
    if (cursor === undefined) return samples;
    for (let at = 0; at < length; at++) {
      const place = (cursor + at) % CAPACITY;
      samples[at] = ring[place]!;
      ring[place] = 0;
    }
    cursor = (cursor + length) >>> 0;
    return samples;
  }

  return {
    push(timestamp, samples) {
      if (samples.length > CAPACITY - DELAY) return false;
      if (cursor === undefined) start(timestamp);
      let ahead = (timestamp - cursor!) | 0;
      if (ahead < 0 && ++lateInRow <= LATE_MAX) return false;
      if (ahead < 0 || ahead > CAPACITY - samples.length) {
        start(timestamp);
        ahead = DELAY;
      }
      lateInRow = 0;
      observe(ahead);
      for (let at = 0; at < samples.length; at++) ring[(timestamp + at) % CAPACITY] = samples[at]!;
      return true;
    },
    next: take,
    reset,
  };
}
