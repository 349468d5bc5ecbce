import type { Simulation } from "@svc/contract";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { levelOf } from "../../packages/server/src/voice/audio/level.ts";
import { decodeMulaw } from "../../packages/server/src/voice/audio/mulaw.ts";
import {
  type FakeSipAgent,
  type FakeSipCall,
  isRightDigest,
  startFakeSipAgent,
} from "../support/calls/fake-sip-agent.ts";
import { IS_LONG } from "../support/long-form.ts";
import { settled, simulationsOf, sipConnection, startRun, versionsOf } from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

const WAIT_MS = 150_000;
const CREDENTIAL = { user: "svc", password: "s3cr3t-s3cr3t" };
const isRight = (text: string) => isRightDigest(text, "md5", CREDENTIAL.user, CREDENTIAL.password, "desk");
const CHALLENGE = `WWW-Authenticate: Digest realm="desk", nonce="n", qop="auth"`;
let server: TestServer;
let agent: FakeSipAgent;

/** Waits until the caller has said something to the agent and is silent again. */
async function callersTurn({ heard }: FakeSipCall): Promise<void> {
  const isLoud = (payload: Buffer) => levelOf(decodeMulaw(payload)) > -35;
  const from = heard.length;
  await until("the caller's words", () => heard.slice(from).some(isLoud));
  await until("the caller's silence", () => heard.length > from + 30 && !heard.slice(-30).some(isLoud));
}

beforeAll(async () => {
  server = await startServer();
  agent = await startFakeSipAgent(
    {
      async desk(call) {
        if (!isRight(call.invite.text)) return call.respond(401, [CHALLENGE]);
        call.respond(180);
        call.accept();
        for (let turn = 0; turn < 10; turn++) {
          await call.say(0.7);
          await new Promise((resolve) => setTimeout(resolve, 1_500));
        }
      },
      async clinic(call) {
        if (!isRight(call.invite.text)) return call.respond(401, [CHALLENGE]);
        call.respond(180);
        call.accept();
        await call.confirmed();
        // Five packets are lost, and one packet arrives much too late.
        await call.say(2, (at) => (at >= 30 && at < 35 ? "lost" : at === 40 ? 50 : 0));
        await callersTurn(call);
        call.report(4, 40);
        await call.say(1);
        call.request("BYE");
      },
      async menu(call) {
        call.accept(undefined, (sdp) => `${sdp.replace("AVP 0", "AVP 0 101")}a=rtpmap:101 telephone-event/8000\r\n`);
        await call.confirmed();
        await call.say(0.7);
        await until("the caller's keys", () => call.packets.filter((packet) => packet[1] === 101).length >= 18);
        await call.press("4", 101);
        await call.press("2", 101);
        await call.keepSilent(1.3);
        call.request("BYE");
      },
      busy: (call) => call.respond(486),
      declines: (call) => call.respond(603),
      unknown: (call) => call.respond(404),
      failing: (call) => call.respond(500),
      unanswered(call) {
        call.respond(180);
        call.respond(480);
      },
      cut: (call) => call.accept(),
      mute(call) {
        call.accept();
        void call.keepSilent(90);
      },
    },
    (text) => (isRight(text) ? [200] : [401, [CHALLENGE]]),
  );
});
afterAll(async () => {
  agent.stop();
  await server.stop();
});

const connect = (uri: string, credential?: typeof CREDENTIAL, outboundProxy?: string) =>
  sipConnection(server.client, { uri, ...(outboundProxy !== undefined && { outboundProxy }) }, credential);

/** Plays one conversation over a connection to its end. */
async function played(over: Awaited<ReturnType<typeof connect>>): Promise<Simulation> {
  const testVersions = await versionsOf(server.client, [{ scenario: "Says: Goodbye.", behaviors: ["ends the call"] }]);
  const run = await startRun(server.client, { ...over, testVersions, caller: "scripted" });
  // On a busy machine, a call with unreliable times is repeated up to twice.
  await settled(server.client, run.id, WAIT_MS);
  return (await simulationsOf(server.client, run.id))[0]!;
}

/** Returns an address at which nothing listens. */
async function deadAddress(): Promise<string> {
  const socket = createSocket("udp4").bind(0, "127.0.0.1");
  await once(socket, "listening");
  const { port } = socket.address();
  socket.close();
  return `sip:agent@127.0.0.1:${port}`;
}

describe("a played call over SIP", () => {
  test("a played call over SIP keeps each step of its signalling, and the packets of both directions, with its simulation and its conversation", async () => {
    const config = { uri: agent.urlOf("clinic"), account: agent.urlOf("1001") };
    const simulation = await played(await sipConnection(server.client, config, CREDENTIAL));
    expect(simulation).toMatchObject({ endingReason: "agent_ended", endedBy: "agent", verdict: "passed" });
    const { steps, received, sent, codec } = simulation.line!;
    expect(steps.map(({ step, by, status }) => [step, by, status])).toEqual([
      ["registered", "agent", 200],
      ["invited", "caller", null],
      ["challenged", "agent", 401],
      ["invited", "caller", null],
      ["ringing", "agent", 180],
      ["answered", "agent", 200],
      ["heard", "agent", null],
      ["ended", "agent", null],
    ]);
    const times = steps.map(({ at }) => Date.parse(at));
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(times[0]).toBeGreaterThanOrEqual(Date.parse(simulation.startedAt!));
    expect(codec).toBe("PCMU");
    expect(received).toMatchObject({ packets: 145, lost: 5, jitterMs: expect.any(Number) });
    expect(received!.late).toBeGreaterThanOrEqual(1);
    expect(sent).toMatchObject({ lost: 4, late: null, jitterMs: 5, jitterMaxMs: 5 });
    expect(sent!.packets).toBeGreaterThan(100);
    const trace = await server.client.traces.get({ traceId: simulation.traceId!, wait: 20 });
    expect(trace.line!.steps).toEqual(steps);
    expect(trace.line).toMatchObject({ codec, received: { packets: 145, lost: 5 }, sent: { packets: sent!.packets } });
    expect(trace.quality.unmappedKeys).toEqual([]);
    expect(JSON.stringify([agent.received, simulation, trace])).not.toContain(CREDENTIAL.password);
  });

  test("over a bad line, a caller presses keys, the transcript shows those of both sides, and code decides about the agent's", async () => {
    const behaviors = ["presses 4 2", "never presses 9", "sends the digits 1 2"];
    const scenario = "Presses 1 #\nSays: Thank you.";
    const testVersions = await versionsOf(server.client, [{ scenario, behaviors }]);
    const over = await sipConnection(server.client, { uri: agent.urlOf("menu"), line: "satellite" });
    const run = await startRun(server.client, { ...over, testVersions, caller: "scripted" });
    await settled(server.client, run.id, WAIT_MS);
    const { traceId, line } = (await simulationsOf(server.client, run.id))[0]!;
    const { behaviors: graded } = await server.client.runs.behaviors({ runId: run.id });
    const decided = graded.filter(({ decidedBy }) => decidedBy === "check");
    expect(new Map(decided.map(({ criterion, passed, failed }) => [criterion, [passed, failed]]))).toEqual(
      new Map(behaviors.map((behavior, at) => [behavior, at === 2 ? [0, 1] : [1, 0]])),
    );
    const { turns, line: kept, quality } = await server.client.traces.get({ traceId: traceId!, wait: 20 });
    expect(line!.condition).toMatchObject({ name: "satellite", toAgent: { packets: expect.any(Number) } });
    expect([kept!.condition, quality.unmappedKeys]).toEqual([line!.condition, []]);
    expect(turns.map(({ role, text }) => [role, text]).slice(0, 3)).toEqual([
      ["agent", null],
      ["user", "[presses 1#]"],
      ["agent", "[presses 42]"],
    ]);
  });

  // The agent is to blame if it rang and did not answer, or answered and never spoke, and in no other case.
  test.each([
    ["busy", "busy", "outside", "errored", /is busy/],
    ["declines", "call_rejected", "outside", "errored", /rejected the call/],
    ["unknown", "unknown_address", "outside", "errored", /knows no such address/],
    ["failing", "connection_refused", "outside", "errored", /failed \(status 500\)/],
    ["unanswered", "no_answer", "agent", "failed", /nobody answered/],
    ["cut", "media_unreachable", "outside", "errored", /No sound packet/],
    // The caller waits 50 s for the agent, so this case runs only in the long form.
    ...(IS_LONG ? ([["mute", "agent_never_joined", "agent", "failed", /never spoke/]] as const) : []),
  ] as const)(
    "a played call to an agent that is %s ends as %s, caused by %s",
    async (user, reason, by, verdict, message) => {
      const simulation = await played(await connect(agent.urlOf(user)));
      expect(simulation).toMatchObject({ endingReason: reason, endedBy: by, verdict });
      expect(simulation.message).toMatch(message);
      expect(simulation.line!.steps.at(-1)!.step).toBe("ended");
      const trace = await server.client.traces.get({ traceId: simulation.traceId!, wait: 20 });
      expect(trace.line!.steps).toEqual(simulation.line!.steps);
    },
  );

  test("a played call to an address at which nothing listens ends as connection_refused, caused by neither side", async () => {
    const simulation = await played(await connect(await deadAddress()));
    expect(simulation).toMatchObject({ endingReason: "connection_refused", endedBy: "outside", verdict: "errored" });
    expect(simulation.line!.steps.map(({ step, by }) => [step, by])).toEqual([
      ["invited", "caller"],
      ["ended", "outside"],
    ]);
  });
});

test("a try over SIP with a password rings, connects, and hears the greeting and the answer", async () => {
  const tried = await server.client.connections.try(await connect(agent.urlOf("desk"), CREDENTIAL));
  expect(tried).toMatchObject({ result: "works", endingReason: null });
  expect(tried.steps.map(({ step, result }) => `${step} ${result}`)).toEqual([
    "prepare done",
    "connect done",
    "greeting done",
    "answer done",
    "hang_up done",
  ]);
  expect(tried.line!.steps.map(({ step }) => step)).toEqual([
    "invited",
    "challenged",
    "invited",
    "ringing",
    "answered",
    "heard",
    "ended",
  ]);
  expect(tried.line!.steps.at(-1)).toMatchObject({ by: "caller" });
  expect(tried.line!.received!.packets).toBeGreaterThan(30);
  expect(agent.received.some(({ text }) => text.startsWith("BYE "))).toBe(true);
  expect(JSON.stringify(agent.received)).not.toContain(CREDENTIAL.password);
});

test("a try of a busy endpoint fails at the connection, and blames nothing on the agent", async () => {
  const tried = await server.client.connections.try(await connect(agent.urlOf("busy")));
  expect(tried).toMatchObject({ result: "fails", endingReason: "busy", endedBy: "outside" });
  expect(tried.line!.steps.at(-1)).toMatchObject({ step: "ended", by: "agent", status: 486 });
});

test.each([
  "sip:+4915112345678@127.0.0.1",
  "sip:112@127.0.0.1",
  "sip:9-1-1@127.0.0.1",
  "sip:%39%31%31@127.0.0.1",
  "sip:a%31%31%32@127.0.0.1",
  "sip:(112)@127.0.0.1",
  "sip:*112@127.0.0.1",
  "sip:agent;phone-context=+1@127.0.0.1",
  "sip:agent@127.0.0.1;user=phone",
  "sip:agent@127.0.0.1?Route=%3Csip:112@127.0.0.1%3E",
  "sip:agent:password@127.0.0.1",
  "sips:agent@127.0.0.1",
  "sip:agent@127.0.0.1;transport=tcp",
  "sip:agent@127.0.0.1:70000",
  "sip:agent@127.0.0.1\r\nX: y",
  "tel:112",
])("the address %s is refused", async (uri) => {
  await expect(connect(uri)).rejects.toMatchObject({ status: 422 });
  await expect(connect("sip:agent@127.0.0.1", undefined, uri)).rejects.toMatchObject({ status: 422 });
});

test.each(["sip:pbx.example.com", "sip:1001@pbx.example.com;user=phone", "sip:1001:secret@pbx.example.com", "tel:112"])(
  "the account %s is refused",
  async (account) => {
    const config = { uri: "sip:agent@127.0.0.1", account };
    await expect(sipConnection(server.client, config)).rejects.toMatchObject({ status: 422 });
  },
);
