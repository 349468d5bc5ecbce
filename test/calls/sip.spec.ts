import { createSocket } from "node:dgram";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLog } from "../../packages/server/src/base/log/log.ts";
import { createG722Decoder, createG722Encoder } from "../../packages/server/src/voice/audio/g722.ts";
import { levelOf } from "../../packages/server/src/voice/audio/level.ts";
import { decodeMulaw } from "../../packages/server/src/voice/audio/mulaw.ts";
import { type MediaPool, openMediaPool } from "../../packages/server/src/voice/calls/media/pool.ts";
import { framesOf, tone } from "../support/audio/tones.ts";
import {
  type FakeSipAgent,
  type FakeSipCall,
  isRightDigest,
  soundPacket,
  speaks,
  startFakeSipAgent,
} from "../support/calls/fake-sip-agent.ts";
import { placeOn, type SipOrder, sipOrderOf } from "../support/calls/placed-call.ts";
import { until } from "../support/until.ts";

const DIGESTS = { md5: "MD5", sha256: "SHA-256" } as const;
const challenge = (hash: keyof typeof DIGESTS, more = "") =>
  `Digest realm="a, b", nonce="n1", opaque="x, y", qop="auth,auth-int", algorithm=${DIGESTS[hash]}${more}`;
const asks = (hash: keyof typeof DIGESTS, status: 401 | 407) => (call: FakeSipCall) => {
  if (isRightDigest(call.invite.text, hash, "svc", "s3cr3t-s3cr3t", "a, b")) return speaks(call);
  call.respond(status, [`${status === 401 ? "WWW" : "Proxy"}-Authenticate: ${challenge(hash)}`]);
};
const BAD_LINE_SECONDS = 3;

let pool: MediaPool;
let agent: FakeSipAgent;
const calls = new Map<string, FakeSipCall>();
const keeping = (name: string, behave: (call: FakeSipCall, attempt: number) => void) => ({
  [name]: (call: FakeSipCall, attempt: number) => {
    calls.set(name, call);
    behave(call, attempt);
  },
});

beforeAll(async () => {
  pool = openMediaPool(createLog("silent"));
  agent = await startFakeSipAgent({
    ...keeping("speaks", speaks),
    ...keeping("alaw", (call) => {
      call.accept(undefined, (sdp) => sdp.replace("AVP 0", "AVP 8"));
      void call.say(0.2);
    }),
    ...keeping("wide", async (call) => {
      call.accept(undefined, (sdp) => sdp.replace("AVP 0", "AVP 9"));
      await call.confirmed();
      const sound = tone(6_000, 0.6).map((sample, at) => (at % 2_400 < 1_600 ? sample : sample / 8));
      const encode = createG722Encoder();
      await call.play(framesOf(sound, 320).map(encode), 0.6, 9);
    }),
    ...keeping("rings", (call) => call.respond(180)),
    ...keeping("crosses", (call) => call.respond(180)),
    ...keeping("holds", speaks),
    ...keeping("moves", speaks),
    ...keeping("repeats", (call) => {
      for (let sent = 0; sent < 3; sent++) call.accept();
      void call.say(0.6);
    }),
    ...keeping("md5", asks("md5", 401)),
    ...keeping("sha", asks("sha256", 407)),
    ...keeping("refuses", (call) => call.respond(401, [`WWW-Authenticate: ${challenge("md5")}`])),
    ...keeping("no-sound", (call) => call.accept()),
    ...keeping("bad-line", async (call) => {
      call.accept();
      await call.confirmed();
      void call.say(BAD_LINE_SECONDS, (at) => (at === 10 || at === 20 || at === 21 ? "lost" : at === 60 ? 40 : 0));
    }),
    ...keeping("dtx", (call) => {
      call.accept();
      void call.say(0.4);
    }),
  });
});
afterAll(async () => {
  agent.stop();
  await pool.close();
});

const place = (user: string, more: Partial<SipOrder> = {}) => placeOn(pool, sipOrderOf(agent, user, more));
const CREDENTIAL = { user: "svc", password: "s3cr3t-s3cr3t" };

describe("a call over SIP", () => {
  test("rings, connects, carries the sound of both sides and ends with BYE", async () => {
    const call = place("speaks");
    await call.event("waits_for_agent");
    await call.event("connected");
    call.say(tone(300, 0.5));
    await call.event("agent_started");
    await call.event("agent_stopped");
    const loudest = () => Math.max(...calls.get("speaks")!.heard.map((payload) => levelOf(decodeMulaw(payload))));
    await until("the caller's sound at the agent", () => loudest() > -20);
    call.hangUp();
    const { reason, summary } = await call.ended;
    expect(reason).toBe("persona_concluded");
    expect(summary!.durationMs).toBeGreaterThan(0);
    const heard = calls.get("speaks")!.heard.map((payload) => decodeMulaw(payload));
    expect(heard.every(({ length }) => length === 160)).toBe(true);
    const { text } = await agent.message(/^BYE .*/);
    expect(text).toMatch(/;tag=agent-tag/);
    expect(calls.get("speaks")!.invite.text).toMatch(/X-Svc-Simulation: sim-speaks/);
  });

  test("a call over SIP sends PCMA to an agent that takes only PCMA", async () => {
    const call = place("alaw");
    await call.event("connected");
    await until("sound in PCMA", () =>
      calls
        .get("alaw")!
        .heard.some((payload) => payload.length === 160 && payload.every((code) => (code & 0x7f) === 0x55)),
    );
    call.hangUp();
    await call.ended;
  });

  test("a call over SIP offers G.722, and carries sound above the band of the telephone to and from an agent that takes it", async () => {
    const call = place("wide");
    await call.event("connected");
    call.say(tone(6_000, 0.2));
    await call.event("agent_started");
    const fake = calls.get("wide")!;
    expect(fake.invite.text).toMatch(/m=audio \d+ RTP\/AVP 9 0 8 101\r\na=rtpmap:9 G722\/8000\r\n/);
    const levels = () => fake.heard.map(createG722Decoder()).map((samples) => levelOf(samples));
    await until("the caller's sound at the agent", () => Math.max(...levels()) > -15);
    expect(fake.lastPacket![1]).toBe(9);
    call.hangUp();
    const { line } = await call.ended;
    expect(line).toMatchObject({ codec: "G722", estimatedMos: null, received: { lost: 0 } });
  });

  test("a call over SIP ends as agent_ended when the agent hangs up, and confirms it", async () => {
    const call = place("speaks");
    await call.event("agent_started");
    calls.get("speaks")!.request("BYE");
    expect(await call.ended).toMatchObject({ reason: "agent_ended", isOurFault: false });
    await agent.message(/^SIP\/2\.0 200 OK[^]*CSeq: \d+ BYE/);
  });

  test("a call over SIP answers a hold, and sends no sound during it", async () => {
    const call = place("holds");
    await call.event("agent_started");
    const fake = calls.get("holds")!;
    fake.request("INVITE", "v=0\r\nc=IN IP4 127.0.0.1\r\nm=audio 40000 RTP/AVP 0\r\na=sendonly\r\n");
    const { text } = await agent.message(/^SIP\/2\.0 200 OK[^]*a=recvonly/);
    expect(text).toMatch(/m=audio \d+ RTP\/AVP 0/);
    call.hangUp();
    await call.ended;
  });

  test("a call over SIP sends its sound to where the agent moves it, in the ACK of an INVITE without a description", async () => {
    const call = place("moves");
    await call.event("agent_started");
    const fake = calls.get("moves")!;
    const moved = createSocket("udp4").bind(0, "127.0.0.1");
    await once(moved, "listening");
    fake.request("INVITE");
    await agent.message(new RegExp(`^SIP/2\\.0 200 OK[^]*CSeq: \\d+ INVITE[^]*m=audio \\d+ RTP/AVP 0`));
    fake.request("ACK", `v=0\r\nc=IN IP4 127.0.0.1\r\nm=audio ${moved.address().port} RTP/AVP 0\r\n`);
    // Late packets from the address that the agent left do not bring the sound back.
    await fake.say(0.3);
    const [packet] = (await once(moved, "message")) as [Buffer];
    expect([packet[1], packet.length]).toEqual([0, 172]);
    call.hangUp();
    expect(await call.ended).toMatchObject({ reason: "persona_concluded" });
    moved.close();
  });

  test("a call over SIP acknowledges each repetition of the answer, and goes on", async () => {
    const call = place("repeats");
    await call.event("agent_stopped");
    const callId = /^Call-ID: (.*)$/m.exec(calls.get("repeats")!.invite.text)![1]!;
    const ofCall = () => agent.received.filter(({ text }) => text.includes(callId));
    await until("the last ACK", () => ofCall().filter(({ method }) => method === "ACK").length === 3);
    expect(ofCall().filter(({ method }) => method === "BYE")).toEqual([]);
    call.hangUp();
    const { reason, line } = await call.ended;
    expect([reason, line!.steps.filter(({ step }) => step === "answered").length]).toEqual(["persona_concluded", 1]);
  });

  test("a call over SIP cancels a call that rings", async () => {
    const call = place("rings");
    await call.event("waits_for_agent");
    call.hangUp();
    await agent.message(/^CANCEL sip:rings/);
    calls.get("rings")!.respond(487);
    await agent.message(/^ACK sip:rings/);
    expect(await call.ended).toMatchObject({ reason: "persona_concluded" });
  });

  test("a call over SIP ends a call whose answer crosses its CANCEL", async () => {
    const call = place("crosses");
    await call.event("waits_for_agent");
    call.hangUp();
    const { text } = await agent.message(/^CANCEL sip:crosses/);
    calls.get("crosses")!.accept();
    const callId = /^Call-ID: (.*)$/m.exec(text)![1]!;
    await agent.message(new RegExp(`^ACK [^]*${callId}`));
    expect((await agent.message(new RegExp(`^BYE [^]*${callId}`))).text).toMatch(/;tag=agent-tag/);
  });

  test.each([
    ["md5", 401],
    ["sha", 407],
  ])("a call over SIP answers a challenge of %s with status %i, even with commas in quotes", async (user) => {
    const call = place(user, { credential: CREDENTIAL });
    await call.event("connected");
    call.hangUp();
    expect(await call.ended).toMatchObject({ reason: "persona_concluded" });
  });

  test("a call over SIP tries a refused password once", async () => {
    const call = place("refuses", { credential: CREDENTIAL });
    expect(await call.ended).toMatchObject({ reason: "credential_rejected" });
    expect(agent.received.filter(({ text }) => text.startsWith("INVITE sip:refuses"))).toHaveLength(2);
  });

  test("a call over SIP takes sound only from the negotiated peer", async () => {
    const call = place("no-sound");
    await call.event("connected");
    const stranger = createSocket("udp4").bind(0, "127.0.0.2");
    await once(stranger, "listening");
    for (let at = 0; at < 50; at++) {
      calls.get("no-sound")!.sendSound(soundPacket(at, 7), stranger);
      calls.get("no-sound")!.sendSound(Buffer.from([0x80, 0, 1]));
      calls.get("no-sound")!.sendSound(Buffer.alloc(200, 0xff));
    }
    await until("a second of the call", () => calls.get("no-sound")!.heard.length > 50);
    call.hangUp();
    stranger.close();
    const { summary } = await call.ended;
    expect(summary!.heard!.firstSoundMs).toBeNull();
  });

  test("a call over SIP ends as media_unreachable when no sound arrives", async () => {
    const call = place("no-sound");
    const ended = await call.ended;
    expect(ended).toMatchObject({ reason: "media_unreachable", note: expect.stringMatching(/15 s/) });
    expect(ended.line!.steps.at(-1)).toMatchObject({ step: "ended", by: "outside" });
    expect(ended.line).toMatchObject({ received: null, sent: { lost: null, late: null, jitterMs: null } });
  });

  test("a call over SIP goes on while the agent reports that it sends nothing", async () => {
    const call = place("dtx");
    await call.event("agent_stopped");
    const fake = calls.get("dtx")!;
    const reporting = setInterval(() => fake.report(0, 0), 2_000);
    // Packets are 20 ms long, so the caller has sent for longer than the time after which a call without incoming sound ends.
    await until("the call outlasts the limit of silence", () => fake.heard.length > 17 * 50);
    clearInterval(reporting);
    expect(call.events.some(({ kind }) => kind === "ended")).toBe(false);
    call.hangUp();
    expect(await call.ended).toMatchObject({ reason: "persona_concluded" });
  });

  test("registers before it, calls as the account, and ends the registration after it", async () => {
    const call = place("speaks", { account: agent.urlOf("1001") });
    await call.event("connected");
    call.hangUp();
    const { line } = await call.ended;
    expect(line!.steps.slice(0, 2)).toMatchObject([
      { step: "registered", by: "agent", status: 200 },
      { step: "invited", by: "caller" },
    ]);
    expect(calls.get("speaks")!.invite.text).toMatch(/^From: <sip:1001@/m);
    const { text } = await agent.message(/^REGISTER [^]*Expires: 0\r/);
    expect(text).toMatch(/^To: <sip:1001@/m);
  });

  test("a call over SIP counts lost and late packets, and what the agent's side reports", async () => {
    const call = place("bad-line");
    await call.event("agent_stopped");
    const fake = calls.get("bad-line")!;
    const before = fake.reports.length;
    fake.report(7, 80);
    const lastPacket = BAD_LINE_SECONDS * 50 - 1;
    await until("a report of the caller, behind the agent's and behind the last packet", () =>
      fake.reports.slice(before).some((report) => report.readUInt32BE(36) === lastPacket),
    );
    call.hangUp();
    const { line } = await call.ended;
    expect(line).toMatchObject({ codec: "PCMU", sent: { lost: 7, late: null, jitterMs: 10, jitterMaxMs: 10 } });
    expect(line!.received).toMatchObject({ packets: 147, lost: 3 });
    expect(line!.received!.late).toBeGreaterThanOrEqual(1);
    expect(line!.received!.jitterMs).toBeGreaterThan(0);
    expect(line!.estimatedMos).toBeLessThan(4.4);
    const goodbye = await until("the goodbye", () => fake.reports.find((report) => report.at(-7) === 203));
    expect([goodbye[1], goodbye.subarray(-8, -4).toString("hex")]).toEqual([200, "81cb0001"]);
    // The caller's report about the agent's sound: three packets of source 1 are lost.
    expect([goodbye.readUInt32BE(28), goodbye.readUIntBE(33, 3)]).toEqual([1, 3]);
  });
});
