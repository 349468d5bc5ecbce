/** A packet that is late by at most this delay is still played. */
const DELAY_MS = 60;
/** Timestamps count at 8 kHz, also in streams at 16 kHz (RFC 3551, section 4.5.2). */
const TICKS = 8_000;
const DELAY_TICKS = (DELAY_MS * TICKS) / 1_000;
/** Limit of waiting sound, about a second. It is a power of two, because timestamps wrap to zero. */
const CAPACITY_TICKS = 8_192;
/** After more consecutive late packets than this, the buffer starts again: the other side's clock has jumped or stopped. */
const LATE_MAX = 3;
/**
 * When the sound waited too long during all of the last `OBSERVED_PACKETS` packets, some samples are skipped. Too long means more than
 * `SPARE_TICKS` beyond the delay.
 */
const OBSERVED_PACKETS = 100;
const SPARE_TICKS = (80 * TICKS) / 1_000;
const SKIPPED_TICKS = (10 * TICKS) / 1_000;

/** Buffer for the sound of an RTP stream, in the order of its timestamps. */
export type JitterBuffer = {
  /** Returns whether the samples arrived in time to be played. */
  push: (timestamp: number, samples: Int16Array) => boolean;
  /** Returns the next samples, with silence in place of sound that did not arrive in time. */
  next: (length: number) => Int16Array;
};

/** `rate` is a multiple of 8 kHz. */
export function createJitterBuffer(rate: number): JitterBuffer {
  const perTick = rate / TICKS;
  const capacity = CAPACITY_TICKS * perTick;
  const delay = DELAY_TICKS * perTick;
  const ring = new Int16Array(capacity);
  let cursor: number | undefined;
  let lateInRow = 0;
  let packets = 0;
  let leastAhead = capacity;

  function reset(): void {
    cursor = undefined;
    ring.fill(0);
    lateInRow = 0;
    packets = 0;
    leastAhead = capacity;
  }

  const start = (timestamp: number) => {
    reset();
    cursor = (timestamp * perTick - delay) >>> 0;
  };

  /** Skips sound when the clock of the other side runs faster than the clock of this process. */
  function observe(ahead: number): void {
    leastAhead = Math.min(leastAhead, ahead);
    if (++packets < OBSERVED_PACKETS) return;
    if (leastAhead > delay + SPARE_TICKS * perTick) take(SKIPPED_TICKS * perTick);
    packets = 0;
    leastAhead = capacity;
  }

  function take(length: number): Int16Array {
    const samples = new Int16Array(length);
    if (cursor === undefined) return samples;
    for (let at = 0; at < length; at++) {
      const place = (cursor + at) % capacity;
      samples[at] = ring[place]!;
      ring[place] = 0;
    }
    cursor = (cursor + length) >>> 0;
    return samples;
  }

  return {
    push(timestamp, samples) {
      if (samples.length > capacity - delay) return false;
      if (cursor === undefined) start(timestamp);
      let ahead = (timestamp * perTick - cursor!) | 0;
      if (ahead < 0 && ++lateInRow <= LATE_MAX) return false;
      if (ahead < 0 || ahead > capacity - samples.length) {
        start(timestamp);
        ahead = delay;
      }
      lateInRow = 0;
      observe(ahead);
      for (let at = 0; at < samples.length; at++) ring[(timestamp * perTick + at) % capacity] = samples[at]!;
      return true;
    },
    next: take,
  };
}
