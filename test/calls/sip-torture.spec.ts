import { createSocket } from "node:dgram";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLog } from "../../packages/server/src/base/log/log.ts";
import { seeded } from "../../packages/server/src/base/seeded.ts";
import { answerChallenge } from "../../packages/server/src/voice/calls/lines/sip/digest.ts";
import { hostOf, parseMessage, uriOf } from "../../packages/server/src/voice/calls/lines/sip/message.ts";
import { createMessageStream } from "../../packages/server/src/voice/calls/lines/sip/message-stream.ts";
import { readRtcp } from "../../packages/server/src/voice/calls/lines/sip/rtcp.ts";
import { readRtp } from "../../packages/server/src/voice/calls/lines/sip/rtp-packet.ts";
import { readSdp } from "../../packages/server/src/voice/calls/lines/sip/sdp.ts";
import { type MediaPool, openMediaPool } from "../../packages/server/src/voice/calls/media/pool.ts";
import {
  type FakeSipAgent,
  type FakeSipCall,
  soundPacket,
  startFakeSipAgent,
} from "../support/calls/fake-sip-agent.ts";
import { placeOn, sipOrderOf } from "../support/calls/placed-call.ts";
import { mutated, TORTURE } from "../support/calls/torture-messages.ts";
import { cpuTimeMs } from "../support/cpu-time.ts";
import { until } from "../support/until.ts";

const SEED = process.env["SPEC_SEED"] ?? String(Math.floor(Math.random() * 2 ** 31));
const MUTATIONS = 3_000;

describe("a message of SIP", () => {
  test.each(TORTURE)("a message of RFC 4475, $name, is read: $isRead", ({ text, isRead }) => {
    expect(parseMessage(Buffer.from(text)) !== undefined).toBe(isRead);
  });

  test("a message of RFC 4475 keeps its parts", () => {
    const read = (name: string) => parseMessage(Buffer.from(TORTURE.find((one) => one.name === name)!.text))!;
    const wsinv = read("wsinv");
    expect(wsinv).toMatchObject({
      method: "INVITE",
      sequence: 9,
      branch: "390skdjuw",
      toTag: "1918181833n",
      fromTag: "98asjd8",
    });
    expect(wsinv.headers.get("via")).toHaveLength(3);
    expect(wsinv.headers.get("newfangledheader")).toEqual(["newfangled value continued newfangled value"]);
    expect(read("intmeth").method).toBe("!interesting-Method0123456789_*+`.%indeed'~");
    expect(read("esc02").method).toBe("RE%47IST%45R");
    expect(read("dblreq")).toMatchObject({ method: "REGISTER", body: Buffer.alloc(0) });
    expect(read("unreason").status).toBe(200);
  });

  test(`a message with any fault is read or ignored (SPEC_SEED=${SEED})`, () => {
    const random = seeded(SEED);
    let read = 0;
    for (let count = 0; count < MUTATIONS; count++) {
      const { text } = TORTURE[Math.floor(random() * TORTURE.length)]!;
      const datagram = mutated(text, random);
      const message = parseMessage(datagram);
      if (message) read++;
      readSdp(message?.body ?? datagram);
      readRtp(datagram);
      readRtcp(datagram, 1);
    }
    expect(read).toBeGreaterThan(MUTATIONS / 20);
    expect(read).toBeLessThan(MUTATIONS);
  });
});

const SIGNS = ["<", '"', ";", '"<', ";tag", ",", " ", "="];

test.each(SIGNS)("a header with tens of thousands of %j costs little time", async (sign) => {
  const long = sign.repeat(50_000 / sign.length);
  for (const name of ["Contact", "Record-Route", "Via", "WWW-Authenticate"]) {
    const value = name === "WWW-Authenticate" ? `Digest ${long}` : long;
    const lines = ["SIP/2.0 401 x", "Via: SIP/2.0/UDP a;branch=b", "To: <sip:a@b>;tag=2", "From: <sip:a@b>;tag=1"];
    const text = [...lines, "Call-ID: 1", "CSeq: 1 INVITE", `${name}: ${value}`, "", ""].join("\r\n");
    const timeMs = await cpuTimeMs(() => {
      const message = parseMessage(Buffer.from(text))!;
      for (const values of message.headers.values()) for (const one of values) hostOf(uriOf(one));
      answerChallenge(message, { user: "svc", password: "s3cr3t-s3cr3t" }, "INVITE", "sip:a@b");
    });
    expect(timeMs, name).toBeLessThan(1_000);
  }
});

describe("messages over one connection", () => {
  const whole = TORTURE.filter(({ name }) => ["wsinv", "esc01", "mpart01", "zeromf"].includes(name)).map(
    ({ text }) => text,
  );

  test("messages over one connection are found in pieces of any length, with empty lines between them", () => {
    const bytes = Buffer.from(whole.map((text) => `\r\n\r\n${text}`).join(""));
    for (const length of [1, 7, 150, bytes.length]) {
      const found: string[] = [];
      const stream = createMessageStream((message) => found.push(message.toString()));
      for (let at = 0; at < bytes.length; at += length) expect(stream.push(bytes.subarray(at, at + length))).toBe(true);
      expect(found).toEqual(whole);
    }
  });

  test.each([
    ["no length", "OPTIONS sip:a@b SIP/2.0\r\nTo: sip:a@b\r\n\r\n"],
    ["a length below 0", "OPTIONS sip:a@b SIP/2.0\r\nContent-Length: -1\r\n\r\n"],
    ["a large length", "OPTIONS sip:a@b SIP/2.0\r\nContent-Length: 99999\r\n\r\n"],
    ["a header without an end", `OPTIONS sip:a@b SIP/2.0\r\nX: ${"y".repeat(40_000)}`],
  ])("with %s end the connection", (_title, text) => {
    expect(createMessageStream(() => expect.fail()).push(Buffer.from(text))).toBe(false);
  });
});

describe("a call", () => {
  let pool: MediaPool;
  let agent: FakeSipAgent;
  let fake: FakeSipCall;
  beforeAll(async () => {
    pool = openMediaPool(createLog("silent"));
    agent = await startFakeSipAgent({
      async desk(call) {
        fake = call;
        call.accept();
        await call.confirmed();
        await call.say(0.6);
        await call.keepSilent(2);
      },
    });
  });
  afterAll(async () => {
    agent.stop();
    await pool.close();
  });

  test(`a call outlasts 150 hostile messages and a flood of packets, and its process plays the next call (SPEC_SEED=${SEED})`, async () => {
    const random = seeded(`${SEED} call`);
    const call = placeOn(pool, sipOrderOf(agent, "desk"));
    await call.event("agent_started");
    const [peer, stranger] = [createSocket("udp4").bind(0, "127.0.0.1"), createSocket("udp4").bind(0, "127.0.0.2")];
    await Promise.all([once(peer, "listening"), once(stranger, "listening")]);
    const [soundPort] = /(?<=m=audio )\d+/.exec(fake.invite.text)!;
    const ofCall = fake.invite.text.replace("INVITE", "BYE").replace(/CSeq: \d+ INVITE/, "CSeq: 9 BYE");
    const hostile = [
      ...TORTURE.map(({ text }) => Buffer.from(text)),
      ...Array.from({ length: 100 }, (_, at) =>
        mutated(at % 2 === 0 ? fake.invite.text : TORTURE[at % TORTURE.length]!.text, random),
      ),
    ];
    for (const datagram of hostile) {
      peer.send(datagram.subarray(0, 60_000), fake.invite.from.port, "127.0.0.1");
      stranger.send(Buffer.from(ofCall), fake.invite.from.port, "127.0.0.1");
      for (let count = 0; count < 5; count++) {
        const packet = count % 2 === 0 ? datagram.subarray(0, 300) : soundPacket(count, Math.floor(random() * 2 ** 31));
        peer.send(packet, Number(soundPort), "127.0.0.1");
        peer.send(packet, Number(soundPort) + 1, "127.0.0.1");
      }
    }
    const heard = fake.heard.length;
    await until("the caller's sound goes on", () => fake.heard.length > heard + 25);
    expect(call.events.some(({ kind }) => kind === "ended")).toBe(false);
    call.hangUp();
    expect(await call.ended).toMatchObject({ reason: "persona_concluded", isOurFault: false });
    const next = placeOn(pool, sipOrderOf(agent, "desk"));
    await next.event("agent_started");
    next.hangUp();
    expect(await next.ended).toMatchObject({ reason: "persona_concluded" });
    expect(pool.underWay()).toEqual({ processes: 1, calls: 0 });
    peer.close();
    stranger.close();
  });
});
