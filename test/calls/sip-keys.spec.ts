import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLog } from "../../packages/server/src/base/log/log.ts";
import { CALL_RATE, FRAME_SAMPLES, joined } from "../../packages/server/src/voice/audio/audio.ts";
import { createKeyDetector, toneOf } from "../../packages/server/src/voice/audio/key-tones.ts";
import { decodeMulaw, encodeMulaw } from "../../packages/server/src/voice/audio/mulaw.ts";
import { createResampler } from "../../packages/server/src/voice/audio/resample.ts";
import { type MediaPool, openMediaPool } from "../../packages/server/src/voice/calls/media/pool.ts";
import { framesOf } from "../support/audio/tones.ts";
import { type FakeSipAgent, type FakeSipCall, startFakeSipAgent } from "../support/calls/fake-sip-agent.ts";
import { placeOn, sipOrderOf } from "../support/calls/placed-call.ts";
import { until } from "../support/until.ts";

const EVENT_TYPE = 97;
const withEvents = (sdp: string) =>
  `${sdp.replace("AVP 0", `AVP 0 ${EVENT_TYPE}`)}a=rtpmap:${EVENT_TYPE} telephone-event/8000\r\na=fmtp:${EVENT_TYPE} 0-15\r\n`;

let pool: MediaPool;
let agent: FakeSipAgent;
const calls = new Map<string, FakeSipCall>();

/** The tones of keys in packets of 20 ms. */
const tonesOf = (keys: string): Uint8Array[] => {
  const sound = createResampler(CALL_RATE, 8_000).push(joined([...keys].map(toneOf)));
  return framesOf(sound, 160).map(encodeMulaw);
};

beforeAll(async () => {
  pool = openMediaPool(createLog("silent"));
  agent = await startFakeSipAgent({
    async events(call) {
      calls.set("events", call);
      call.accept(undefined, withEvents);
      await call.confirmed();
      await call.press("4", EVENT_TYPE);
      await call.press("4", EVENT_TYPE);
      await call.press("#", 101);
      await call.keepSilent(2);
    },
    async tones(call) {
      calls.set("tones", call);
      call.accept();
      await call.confirmed();
      await call.play(tonesOf("90*"), 3);
    },
  });
});
afterAll(async () => {
  agent.stop();
  await pool.close();
});

describe("keys in a call over SIP", () => {
  test("keys over SIP are offered as events, sent with rising durations and three ends, and heard once each", async () => {
    const call = placeOn(pool, sipOrderOf(agent, "events"));
    await call.event("connected");
    call.press("1#");
    await call.event("said");
    expect(await call.event("pressed")).toMatchObject({ keys: "44#" });
    call.hangUp();
    await call.ended;

    const fake = calls.get("events")!;
    expect(fake.invite.text).toMatch(/RTP\/AVP [\d ]*101\r\n[^]*a=rtpmap:101 telephone-event\/8000\r\n/);
    const packets = fake.packets.map((packet) => ({
      sequence: packet.readUInt16BE(2),
      timestamp: packet.readUInt32BE(4),
      type: packet[1]! & 0x7f,
      isMarked: packet[1]! > 0x7f,
      payload: packet.subarray(12),
    }));
    for (const [at, { sequence }] of packets.entries())
      if (at > 0) expect(sequence).toBe((packets[at - 1]!.sequence + 1) % 65_536);
    const events = packets.filter(({ type }) => type === EVENT_TYPE);
    const durations = [1, 2, 3, 4, 5, 6, 7, 8, 8, 8].map((count) => count * 160);
    for (const [at, code] of [1, 11].entries()) {
      const event = events.slice(at * 10, at * 10 + 10);
      expect(event.map(({ payload }) => payload.readUInt16BE(2))).toEqual(durations);
      expect(event.map(({ payload }) => payload[0])).toEqual(durations.map(() => code));
      expect(event.map(({ payload }) => payload[1]! >> 7)).toEqual([0, 0, 0, 0, 0, 0, 0, 1, 1, 1]);
      expect(event.map(({ isMarked }) => isMarked)).toEqual([true, ...Array.from({ length: 9 }, () => false)]);
      expect(new Set(event.map(({ timestamp }) => timestamp)).size).toBe(1);
    }
    expect(events).toHaveLength(20);
    const sound = packets.filter(({ type }) => type === 0);
    expect(detected(sound.map(({ payload }) => payload))).toBe("");
    const ticks = packets.at(-1)!.timestamp - packets[0]!.timestamp;
    expect(ticks % 160).toBe(0);
  });

  test("keys over SIP are tones in the sound to an agent that takes no events, and are heard in its sound", async () => {
    const call = placeOn(pool, sipOrderOf(agent, "tones"));
    await call.event("connected");
    expect(await call.event("pressed")).toMatchObject({ keys: "90*" });
    expect(call.events.some(({ kind }) => kind === "agent_started")).toBe(false);
    call.press("7A");
    await call.event("said");
    const fake = calls.get("tones")!;
    await until("the tones at the agent", () => detected(fake.heard) === "7A");
    call.hangUp();
    await call.ended;
  });
});

function detected(payloads: readonly Buffer[]): string {
  const up = createResampler(8_000, CALL_RATE);
  const detector = createKeyDetector();
  const sound = payloads.map((payload) => up.push(decodeMulaw(payload)));
  return sound
    .flatMap((samples) => framesOf(samples, FRAME_SAMPLES))
    .map((frame) => (frame.length === FRAME_SAMPLES ? (detector.next(frame).key ?? "") : ""))
    .join("");
}
