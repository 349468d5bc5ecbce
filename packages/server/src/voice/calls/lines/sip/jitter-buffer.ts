/** Packets that are late by at most this are still heard. */
const DELAY_MS = 60;
const RATE = 8_000;
const DELAY = (DELAY_MS * RATE) / 1_000;
/** At most about a second of sound waits. A power of two, because timestamps wrap to zero. */
const CAPACITY = 8_192;
/** After more late packets in a row than this, the buffer begins again: the other side's clock has jumped or stood still. */
const LATE_MAX = 3;
/** When sound waited longer than it needs to throughout this many packets, a little of it is skipped. */
const OBSERVED_PACKETS = 100;
const SPARE = (80 * RATE) / 1_000;
const SKIPPED = (10 * RATE) / 1_000;

/** The sound of an RTP stream at 8 kHz, in the order of its timestamps. */
export type JitterBuffer = {
  /** Adds samples; returns whether they came in time to be heard. */
  push: (timestamp: number, samples: Int16Array) => boolean;
  /** Returns the next samples; silence where none arrived in time. */
  next: (length: number) => Int16Array;
  /** Begins again with the next packet, which belongs to another stream. */
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

  /** Follows a clock of the other side that is faster than ours. */
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
