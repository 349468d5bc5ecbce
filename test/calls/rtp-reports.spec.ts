import { describe, expect, test } from "vitest";
import { createReception } from "../../packages/server/src/voice/calls/lines/sip/reception.ts";
import { ntpMiddleOf, readRtcp, writeRtcp } from "../../packages/server/src/voice/calls/lines/sip/rtcp.ts";
import { estimatedMos } from "../../packages/server/src/voice/calls/lines/sip/voice-quality.ts";

/** Receives packets of 20 ms with these numbers. A packet arrives `lateMs` after it was sent. */
function received(numbers: readonly number[], lateMs: (at: number) => number = () => 0) {
  const reception = createReception();
  for (const [at, number] of numbers.entries())
    reception.take({ sequence: number & 0xffff, timestamp: (number * 160) >>> 0 }, at * 20 + lateMs(at));
  return reception;
}
const range = (from: number, until: number) => Array.from({ length: until - from }, (_, at) => from + at);

describe("the packets of a stream", () => {
  test("nothing is known before the first packet", () => {
    expect(createReception().counts()).toBeNull();
    expect(createReception().report()).toBeUndefined();
  });

  test("the packets of an event count, and their repeated timestamp is no jitter", () => {
    const reception = createReception();
    for (const at of range(0, 30)) {
      const isEvent = at >= 10 && at < 20;
      reception.take({ sequence: at, timestamp: (isEvent ? 10 : at) * 160 }, at * 20, isEvent);
    }
    expect(reception.counts()).toMatchObject({ packets: 30, lost: 0, jitterMs: 0, jitterMaxMs: 0 });
  });

  test.each([
    ["all arrive", range(0, 10), 10, 0],
    ["one is missing", [0, 1, 3, 4], 4, 1],
    ["one comes twice", [0, 1, 1, 2], 3, 0],
    ["two change places", [0, 2, 1, 3], 4, 0],
    ["the first comes second", [5, 4, 6], 3, 0],
    ["the numbers begin again at zero", range(65_530, 65_540), 10, 0],
    ["one is missing where the numbers begin again", [65_534, 65_535, 65_537], 3, 1],
    ["the stream begins again elsewhere", [1, 2, 40_000, 40_001, 40_002], 4, 0],
    ["one number is out of all order", [1, 2, 40_000, 3, 4], 4, 0],
  ])("the packets of a stream are counted when %s", (_, numbers, packets, lost) => {
    expect(received(numbers).counts()).toMatchObject({ packets, lost });
  });

  test("an even stream has no jitter, and one that is late every second time has that of RFC 3550", () => {
    expect(received(range(0, 50)).counts()).toMatchObject({ jitterMs: 0, jitterMaxMs: 0 });
    const uneven = received(range(0, 500), (at) => (at % 2) * 8).counts()!;
    // Each packet's delay differs by 8 ms from that of the packet before, and the estimate converges to this value.
    expect(uneven.jitterMaxMs).toBeCloseTo(8, 5);
    expect(uneven.jitterMs).toBeGreaterThan(7);
  });

  test("a report has the share that was lost since the one before, in 1/256", () => {
    const reception = received([0, 1, 2, 4]);
    expect(reception.report()).toEqual({ fractionLost: 51, lost: 1, highest: 4, jitter: expect.any(Number) });
    for (const sequence of [5, 6, 7]) reception.take({ sequence, timestamp: sequence * 160 }, sequence * 20);
    expect(reception.report()).toMatchObject({ fractionLost: 0, lost: 1, highest: 7 });
  });

  test("a stream that replaces another adds to its losses", () => {
    const reception = received([0, 2]);
    reception.restart();
    for (const sequence of [900, 902]) reception.take({ sequence, timestamp: sequence * 160 }, sequence * 20);
    expect(reception.counts()).toMatchObject({ packets: 4, lost: 2 });
  });
});

describe("reports of RTCP", () => {
  // These packets follow RFC 3550, section 6.4: a sender report with one report block, a name, and a goodbye.
  const SENDER = Buffer.from(
    [
      ["81c8000c", "0000aaaa", "e8a1b2c3d4e5f607", "00001000", "00000064", "00003e80"],
      ["0000bbbb", "40ffffff", "00010005", "00000050", "b2c3d4e5", "00008000"],
      ["81ca0003", "0000aaaa", "0102", "6162", "00000000"],
      ["81cb0001", "0000aaaa"],
    ]
      .flat()
      .join(""),
    "hex",
  );

  test("a compound packet is read for the own source, with negative losses", () => {
    expect(readRtcp(SENDER, 0xbbbb)).toEqual({
      sender: { source: 0xaaaa, ntpMiddle: 0xb2c3d4e5, packets: 100 },
      receiver: { reporter: 0xaaaa, lost: -1, jitter: 80, lastReport: 0xb2c3d4e5, delaySinceLastReport: 0x8000 },
    });
    expect(readRtcp(SENDER, 0xcccc)!.receiver).toBeNull();
  });

  test.each([
    ["nothing", Buffer.alloc(0)],
    ["a packet of RTP", Buffer.from("8000000100000001000000010102", "hex")],
    ["a length behind its end", Buffer.from("81c9000700000001", "hex")],
    ["more blocks than bytes", Buffer.from("9fc9000100000001", "hex")],
    ["a name first", Buffer.from("81ca00010000aaaa", "hex")],
    ["half a second packet", SENDER.subarray(0, 55)],
    ["more than a datagram of reports", Buffer.concat(Array.from({ length: 30 }, () => SENDER))],
  ])("%s is no report", (_, datagram) => {
    expect(readRtcp(datagram, 1)).toBeUndefined();
  });

  test("what is written is the layout of RFC 3550", () => {
    const heard = {
      source: 0xbbbb,
      fractionLost: 64,
      lost: -1,
      highest: 0x1_0005,
      jitter: 80,
      lastReport: 0xb2c3d4e5,
      delaySinceLastReport: 0x8000,
    };
    const unixMs = 0xe8a1b2c3 * 1_000 - 2_208_988_800_000 + 500;
    const own = { source: 0xaaaa, cname: "ab", unixMs, timestamp: 0x1000, packets: 100, octets: 16_000 };
    const expected = Buffer.from(SENDER);
    expected.writeUInt32BE(0x8000_0000, 12);
    expect(writeRtcp({ ...own, heard, isLast: true }).toString("hex")).toBe(expected.toString("hex"));
    expect(ntpMiddleOf(unixMs)).toBe(0xb2c3_8000);
    const first = writeRtcp({ ...own, packets: 0, heard: undefined, isLast: false });
    expect(first.subarray(0, 8).toString("hex")).toBe("80c900010000aaaa");
  });
});

// Without a fault, the E-model rates G.711 at 93.2, which is a MOS of 4.41. A loss of 4.3 percent gives half of the largest impairment.
test.each([
  [99, 0, null],
  [100, 0, 4.41],
  [1_000, 43, 2.35],
  [1_000, 1_000, 1],
])("of %i packets, %i are missing: the estimated opinion score is %s", (expected, missing, score) => {
  expect(estimatedMos(expected, missing)).toBe(score);
});
