import type { LineCondition } from "@svc/contract";
import { describe, expect, test } from "vitest";
import { CALL_RATE, FRAME_SAMPLES, joined } from "../../packages/server/src/voice/audio/audio.ts";
import { createBandLimit } from "../../packages/server/src/voice/audio/band-limit.ts";
import { createKeyDetector } from "../../packages/server/src/voice/audio/key-tones.ts";
import { levelOf } from "../../packages/server/src/voice/audio/level.ts";
import type { MediaLine } from "../../packages/server/src/voice/calls/call.ts";
import { createBadLine } from "../../packages/server/src/voice/calls/lines/bad-line.ts";
import { CONDITIONS } from "../../packages/server/src/voice/calls/lines/conditions.ts";
import { createPacketNetwork } from "../../packages/server/src/voice/calls/lines/packet-network.ts";
import { createCallerSound } from "../../packages/server/src/voice/calls/media/caller-sound.ts";
import { framesOf, silence, tone } from "../support/audio/tones.ts";

const SECONDS = 600;
const LOUD = Int16Array.from({ length: FRAME_SAMPLES }, () => 1_000);
const CLEAR = { loss: 0, burst: 1, delayMs: 0, jitterMs: 0, reordered: 0, band: null, echo: 0 };

/** Sends a loud frame every 10 ms, and returns which frames are heard. */
function heardOf(condition: Parameters<typeof createPacketNetwork>[0], seed: string, seconds = SECONDS) {
  const network = createPacketNetwork<never>(condition, seed);
  const heard = Array.from({ length: seconds * 100 }, () => network.next(LOUD, null).frame[0] !== 0);
  return { heard, ...network.counts() };
}

describe("a network of packets", () => {
  test("a network loses the same packets with the same seed, and others with another seed", () => {
    const { mobile } = CONDITIONS;
    expect(heardOf(mobile, "a")).toEqual(heardOf(mobile, "a"));
    expect(heardOf(mobile, "a").heard).not.toEqual(heardOf(mobile, "b").heard);
  });

  test("a network loses its share of packets, in bursts of its mean length, whole packets of 20 ms", () => {
    const { heard, packets, lost, late } = heardOf({ ...CLEAR, loss: 0.05, burst: 4 }, "bursts");
    expect([packets, late]).toEqual([SECONDS * 50, 0]);
    expect(lost / packets).toBeGreaterThan(0.035);
    expect(lost / packets).toBeLessThan(0.065);
    const gaps = heard
      .slice(8)
      .map((is) => (is ? " " : "x"))
      .join("")
      .split(/ +/)
      .filter((gap) => gap !== "");
    expect(gaps.every((gap) => gap.length % 2 === 0)).toBe(true);
    const meanPackets = gaps.reduce((sum, gap) => sum + gap.length / 2, 0) / gaps.length;
    expect(meanPackets).toBeGreaterThan(3);
    expect(meanPackets).toBeLessThan(5);
  });

  test("a network delays everything by its delay and the buffer of the receiver, in order", () => {
    const network = createPacketNetwork<number>({ ...CLEAR, delayMs: 280 }, "delay");
    const items = Array.from({ length: 100 }, (_, at) => network.next(LOUD, at).item);
    expect(items).toEqual(Array.from({ length: 100 }, (_, at) => (at < 36 ? null : at - 36)));
  });

  test.each([
    ["jitter", { ...CLEAR, jitterMs: 40 }],
    ["reordering", { ...CLEAR, jitterMs: 30, reordered: 0.5 }],
  ])("with more %s than the buffer bears has packets that are too late", (_title, condition) => {
    const { packets, lost, late } = heardOf(condition, "late");
    expect(lost).toBe(0);
    expect(late / packets).toBeGreaterThan(0.15);
    expect(late / packets).toBeLessThan(0.6);
  });
});

/** A line whose agent hears what the caller sends, and sends sound of its own. */
function openLine(name: LineCondition, agent: Int16Array, isSip = false, seed = "line") {
  const sent: Int16Array[] = [];
  const pressed: { key: string; at: number }[] = [];
  const frames = framesOf(agent, FRAME_SAMPLES);
  const inner: MediaLine = {
    connect: async () => {},
    send: (frame) => void sent.push(frame),
    ...(isSip && { press: (key: string) => void pressed.push({ key, at: sent.length }) }),
    hear: () => frames.shift() ?? new Int16Array(FRAME_SAMPLES),
    close: async () => {},
  };
  return { line: createBadLine(inner, name, seed), sent, pressed };
}

function talk({ line }: ReturnType<typeof openLine>, caller: Int16Array, seconds: number): Int16Array {
  const frames = framesOf(caller, FRAME_SAMPLES);
  const heard = Array.from({ length: seconds * 100 }, () => {
    line.send(frames.shift() ?? new Int16Array(FRAME_SAMPLES));
    return line.hear();
  });
  return joined(heard);
}

describe("a bad line", () => {
  test("a good line changes nothing and tells nothing", () => {
    const sound = tone(1_000, 1);
    const open = openLine("good", sound);
    expect(talk(open, sound, 1)).toEqual(sound);
    expect(joined(open.sent)).toEqual(sound);
    expect(open.line.facts).toBeUndefined();
  });

  test.each(["mobile", "bad-wifi", "satellite", "speakerphone"] as const)(
    "%s loses and delays the sound of both directions, and counts it",
    (name) => {
      const run = () => {
        const open = openLine(name, tone(1_000, 20, 0.3));
        const heard = talk(open, tone(800, 20, 0.3), 20);
        return { heard, sent: joined(open.sent), facts: open.line.facts!() };
      };
      const { heard, sent, facts } = run();
      expect(run().heard).toEqual(heard);
      expect(facts).toMatchObject({ steps: [], codec: null, condition: { name, toAgent: { packets: 1_000 } } });
      for (const sound of [heard, sent]) {
        const delayed = framesOf(sound, FRAME_SAMPLES).findIndex((frame) => levelOf(frame) > -40) * 10;
        const { delayMs } = CONDITIONS[name];
        expect(delayed).toBeGreaterThanOrEqual(delayMs);
        expect(delayed).toBeLessThanOrEqual(delayMs + 200);
      }
      const { toAgent, fromAgent } = facts.condition!;
      expect([toAgent, fromAgent].every(({ lost }) => lost > 0)).toBe(true);
    },
  );

  test("a line of a telephone carries its band alone", () => {
    const limit = createBandLimit({ fromHz: 300, toHz: 3_400 });
    const levelAt = (hz: number) => levelOf(limit(tone(hz, 0.5)).subarray(CALL_RATE / 10)) - levelOf(tone(hz, 0.5));
    expect(levelAt(1_000)).toBeGreaterThan(-1);
    expect(levelAt(100)).toBeLessThan(-25);
    expect(levelAt(7_000)).toBeLessThan(-25);
  });

  test("a speakerphone returns the agent's sound to the agent, quieter", () => {
    const open = openLine("speakerphone", tone(1_000, 3, 0.5));
    const heard = talk(open, silence(3), 3);
    const difference = levelOf(heard.subarray(CALL_RATE)) - levelOf(joined(open.sent).subarray(CALL_RATE));
    expect(difference).toBeGreaterThan(20);
    expect(difference).toBeLessThan(30);
  });

  test("a bad line presses a key when its tone arrives, and carries the tone where keys are tones", () => {
    const caller = createCallerSound(null, "keys");
    caller.press("7");
    const sip = openLine("satellite", silence(1), true);
    const other = openLine("satellite", silence(1));
    for (let at = 0; at < 100; at++) {
      const { sent, key } = caller.next();
      if (key !== null) sip.line.press!(key);
      for (const { line } of [sip, other]) {
        line.send(sent);
        line.hear();
      }
    }
    expect(sip.pressed).toEqual([{ key: "7", at: 36 }]);
    const detector = createKeyDetector();
    expect(other.line.press).toBeUndefined();
    expect(other.sent.map((frame) => detector.next(frame).key ?? "").join("")).toBe("7");
  });
});
