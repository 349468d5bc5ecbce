import type { PacketCounts } from "../../call.ts";

/** PCMU and PCMA have a clock of 8 kHz. */
const TICKS_PER_MS = 8;
/**
 * Sequence numbers within these bounds belong to the stream. Other sequence numbers may mean a restart of the stream (RFC 3550, appendix
 * A.1).
 */
const DROPOUT_MAX = 3_000;
const MISORDER_MAX = 100;
const NUMBERS = 0x1_0000;
const RECENT = 256;

export type ReceptionReport = { fractionLost: number; lost: number; highest: number; jitter: number };

/** Statistics of a call's received packets, over all streams. */
export type Reception = {
  /**
   * Counts a packet that arrived at this time of a monotonic clock. Returns false for a duplicate. Packets of an event all have the
   * timestamp of its start, so they say nothing about jitter.
   */
  take: (packet: { sequence: number; timestamp: number }, atMs: number, isEvent?: boolean) => boolean;
  late: () => void;
  /** Starts again with the next packet, which belongs to another stream. */
  restart: () => void;
  counts: () => PacketCounts | null;
  report: () => ReceptionReport | undefined;
};

type Stream = {
  first: number;
  highest: number;
  received: number;
  /**
   * Ring of the last sequence numbers, for the detection of duplicates. It has more places than the distance by which packets may be out of
   * order.
   */
  recent: (number | undefined)[];
  transit: number;
  reportedExpected: number;
  reportedReceived: number;
};

export function createReception(): Reception {
  let stream: Stream | undefined;
  let restartsAt: number | undefined;
  let earlierExpected = 0;
  let packets = 0;
  let lateCount = 0;
  let jitter = 0;
  let jitterSum = 0;
  let jitterCount = 0;
  let jitterMax = 0;

  const expectedOf = ({ highest, first }: Stream) => highest - first + 1;

  function restart(): void {
    if (stream) earlierExpected += expectedOf(stream);
    stream = undefined;
    restartsAt = undefined;
    jitter = 0;
  }

  function begin(sequence: number, transit: number): void {
    stream = {
      first: sequence,
      highest: sequence,
      received: 0,
      recent: [],
      transit,
      reportedExpected: 0,
      reportedReceived: 0,
    };
  }

  /** Returns the sequence number extended beyond the wrap at 65,536; undefined when the number cannot belong to the stream. */
  function extended({ highest }: Stream, sequence: number): number | undefined {
    const ahead = ((sequence - highest) << 16) >> 16;
    return ahead <= DROPOUT_MAX && ahead >= -MISORDER_MAX ? highest + ahead : undefined;
  }

  function observe(current: Stream, transit: number): void {
    const change = Math.abs((transit - current.transit) | 0);
    current.transit = transit;
    jitter += (change - jitter) / 16;
    jitterSum += jitter;
    jitterCount++;
    jitterMax = Math.max(jitterMax, jitter);
  }

  return {
    take({ sequence, timestamp }, atMs, isEvent = false) {
      const transit = (Math.round(atMs * TICKS_PER_MS) - timestamp) | 0;
      if (!stream) begin(sequence, transit);
      let number = extended(stream!, sequence);
      if (number === undefined) {
        const isRestart = restartsAt === sequence;
        restartsAt = (sequence + 1) % NUMBERS;
        if (!isRestart) return true;
        restart();
        begin(sequence, transit);
        number = sequence;
      }
      const current = stream!;
      restartsAt = undefined;
      const place = (number + NUMBERS) % RECENT;
      if (current.recent[place] === number) return false;
      current.recent[place] = number;
      // A packet that was sent before the first received packet may arrive later.
      current.first = Math.min(current.first, number);
      current.highest = Math.max(current.highest, number);
      if (current.received++ > 0 && !isEvent) observe(current, transit);
      packets++;
      return true;
    },

    late: () => void lateCount++,

    restart,

    counts() {
      if (packets === 0) return null;
      const expected = earlierExpected + (stream ? expectedOf(stream) : 0);
      return {
        packets,
        lost: Math.max(0, expected - packets),
        late: lateCount,
        jitterMs: jitterCount === 0 ? null : jitterSum / jitterCount / TICKS_PER_MS,
        jitterMaxMs: jitterCount === 0 ? null : jitterMax / TICKS_PER_MS,
      };
    },

    report() {
      if (!stream) return undefined;
      const expected = expectedOf(stream);
      const expectedSince = expected - stream.reportedExpected;
      const lostSince = expectedSince - (stream.received - stream.reportedReceived);
      stream.reportedExpected = expected;
      stream.reportedReceived = stream.received;
      return {
        fractionLost: lostSince <= 0 ? 0 : Math.floor((lostSince * 256) / expectedSince),
        lost: expected - stream.received,
        highest: stream.highest >>> 0,
        jitter: Math.round(jitter),
      };
    },
  };
}
