import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLog } from "../../packages/server/src/base/log/log.ts";
import {
  type MediaPool,
  openMediaPool,
  POOL_LIMITS,
  startMediaProcess,
} from "../../packages/server/src/voice/calls/media/pool.ts";
import { type FakeSipAgent, isRightDigest, speaks, startFakeSipAgent } from "../support/calls/fake-sip-agent.ts";
import { placeOn, type SipOrder, sipOrderOf } from "../support/calls/placed-call.ts";
import { openStreams } from "../support/calls/signal-channel.ts";

const fileOf = (name: string) => join(import.meta.dirname, "../fixtures/tls", name);
const keyOf = (name: string) => ({
  key: readFileSync(fileOf(`${name}.key`)),
  cert: readFileSync(fileOf(`${name}.crt`)),
});
const CREDENTIAL = { user: "svc", password: "s3cr3t-s3cr3t" };
const BEHAVIORS: Parameters<typeof startFakeSipAgent>[0] = {
  desk(call) {
    if (isRightDigest(call.invite.text, "md5", CREDENTIAL.user, CREDENTIAL.password, "desk")) return speaks(call);
    call.respond(401, ['WWW-Authenticate: Digest realm="desk", nonce="n", qop="auth"']);
  },
  speaks,
};

let pool: MediaPool;
let tcp: FakeSipAgent;
let tls: FakeSipAgent;
let otherName: FakeSipAgent;

beforeAll(async () => {
  pool = openMediaPool(createLog("silent"), POOL_LIMITS, () => startMediaProcess(fileOf("trusted-by-nobody.crt")));
  tcp = await startFakeSipAgent(BEHAVIORS, undefined, await openStreams());
  tls = await startFakeSipAgent(BEHAVIORS, undefined, await openStreams(keyOf("trusted-by-nobody")));
  otherName = await startFakeSipAgent(BEHAVIORS, undefined, await openStreams(keyOf("other-name")));
});
afterAll(async () => {
  for (const agent of [tcp, tls, otherName]) agent.stop();
  await pool.close();
});

const place = (agent: FakeSipAgent, user: string, order: Partial<SipOrder>) =>
  placeOn(pool, sipOrderOf(agent, user, order));

describe("a call over SIP", () => {
  test.each(["tcp", "tls"] as const)(
    "over %s registers, answers a challenge, talks and ends over one connection, and sends nothing twice",
    async (transport) => {
      const agent = transport === "tcp" ? tcp : tls;
      const call = place(agent, "desk", { transport, credential: CREDENTIAL, account: agent.urlOf("1001") });
      await call.event("agent_started");
      call.hangUp();
      expect(await call.ended).toMatchObject({ reason: "persona_concluded", line: { codec: "PCMU" } });
      await agent.message(/^REGISTER [^]*Expires: 0\r/);
      const methods = agent.received.map(({ method }) => method);
      expect(methods).toEqual(["REGISTER", "INVITE", "ACK", "INVITE", "ACK", "BYE", "REGISTER"]);
      expect(new Set(agent.received.map(({ from }) => from.port)).size).toBe(1);
      const { text } = agent.received[1]!;
      expect(text).toMatch(new RegExp(`^Via: SIP/2.0/${transport.toUpperCase()} 127.0.0.1:\\d+;`, "m"));
      expect(text).toMatch(new RegExp(`^Contact: <sip:svc@127.0.0.1:\\d+;transport=${transport}>\r$`, "m"));
    },
  );

  test("a call over TCP fails at once when the connection is lost while the call rings", async () => {
    const channel = await openStreams();
    const agent = await startFakeSipAgent({ cut: (call) => call.respond(180) }, undefined, channel);
    const call = place(agent, "cut", { transport: "tcp" });
    await call.event("waits_for_agent");
    agent.stop();
    expect(await call.ended).toMatchObject({
      reason: "connection_refused",
      note: expect.stringMatching(/SIP over TCP at 127\.0\.0\.1/),
      isOurFault: false,
    });
  });

  test("a call over TLS to an endpoint whose certificate has another name fails at the connection, and sends no message", async () => {
    const { reason, note, isOurFault } = await place(otherName, "speaks", { transport: "tls" }).ended;
    expect([reason, isOurFault]).toEqual(["connection_refused", false]);
    expect(note).toMatch(/trusted TLS connection.*valid for 127\.0\.0\.1/);
    expect(otherName.received).toEqual([]);
  });

  test("a call over TCP refuses a private address before it connects", async () => {
    const before = tcp.received.length;
    const { reason, note } = await place(tcp, "speaks", { transport: "tcp", privateAddresses: "refuse" }).ended;
    expect(reason).toBe("connection_refused");
    expect(note).toMatch(/SVC_OUTBOUND_PRIVATE/);
    expect(tcp.received).toHaveLength(before);
  });
});
