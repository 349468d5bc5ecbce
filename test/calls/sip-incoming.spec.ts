import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLog } from "../../packages/server/src/base/log/log.ts";
import type { LineOrder } from "../../packages/server/src/voice/calls/call.ts";
import { type MediaPool, openMediaPool } from "../../packages/server/src/voice/calls/media/pool.ts";
import { type FakeRegistrar, startFakeRegistrar } from "../support/calls/fake-registrar.ts";
import { isRightDigest } from "../support/calls/fake-sip-agent.ts";
import { placeOn } from "../support/calls/placed-call.ts";
import { until } from "../support/until.ts";

type IncomingOrder = Extract<LineOrder, { kind: "incoming_call" }>;

const CREDENTIAL = { user: "svc", password: "s3cr3t-s3cr3t" };
const CHALLENGE = 'WWW-Authenticate: Digest realm="spec", nonce="n1", qop="auth", algorithm=MD5';

let pool: MediaPool;
let registrar: FakeRegistrar;

beforeAll(async () => {
  pool = openMediaPool(createLog("silent"));
  registrar = await startFakeRegistrar((text) => {
    if (text.includes("sip:locked@") && !isRightDigest(text, "md5", CREDENTIAL.user, CREDENTIAL.password, "spec"))
      return [401, [CHALLENGE]];
    if (text.includes("sip:brief@") && field(text, "Expires") === "60") return [423, ["Min-Expires: 90"]];
    return [200];
  });
});
afterAll(async () => {
  registrar.stop();
  await pool.close();
});

const field = (text: string, name: string) => new RegExp(`^${name}: *(.*)$`, "im").exec(text)?.[1]?.trim() ?? "";

let users = 0;
/** Lets the service wait under an account of its own, and resolves when it waits. */
async function wait(more: Partial<IncomingOrder> = {}, user = `user${++users}`) {
  const call = placeOn(pool, {
    kind: "incoming_call",
    simulationId: "sim_own",
    account: registrar.accountOf(user),
    transport: "udp",
    outboundProxy: undefined,
    credential: undefined,
    callers: "agent, +4930*",
    matching: "account",
    waitSeconds: 30,
    headers: { "X-Svc-Simulation": "sim_own" },
    privateAddresses: "allow",
    ...more,
  });
  await call.event("waits_for_agent");
  return { call, contact: await registrar.contactOf(user), user };
}
const stepsOf = ({ line }: { line: { steps: { step: string; by: string; status: number | null }[] } | null }) =>
  line!.steps.map(({ step, by, status }) => [step, by, status]);

describe("a service that waits for a call over SIP", () => {
  test("registers with a digest, rings, takes the call, carries the sound of both sides, and leaves the registrar after the agent's BYE", async () => {
    const { call, contact } = await wait({ credential: CREDENTIAL }, "locked");
    const invite = registrar.invite(contact, { caller: "+493087654321" });
    await invite.response(180);
    const ok = await invite.response(200);
    expect(ok).toMatch(/^X-Svc-Simulation: sim_own$/m);
    expect(ok).toMatch(/m=audio \d+ RTP\/AVP 0\r\n/);
    await invite.ack();
    await call.event("connected");
    await invite.say(0.8);
    await call.event("agent_stopped");
    await until("sound of the service", () => invite.heard.length > 20);
    await invite.bye();
    const ended = await call.ended;
    expect(ended).toMatchObject({ reason: "agent_ended" });
    expect(stepsOf(ended)).toEqual([
      ["registered", "agent", 200],
      ["waiting", "caller", null],
      ["invited", "agent", null],
      ["ringing", "caller", 180],
      ["answered", "caller", 200],
      ["heard", "agent", null],
      ["ended", "agent", null],
    ]);
    await registrar.message((text) => text.startsWith("REGISTER") && field(text, "Expires") === "0");
    expect(registrar.received.join()).not.toContain(CREDENTIAL.password);
  });

  test("ends its call with BYE when the caller hangs up, and takes the offer of a call without a description from the ACK", async () => {
    const { call, contact } = await wait();
    const invite = registrar.invite(contact, { sdp: "" });
    expect(await invite.response(200)).toMatch(/m=audio \d+ RTP\/AVP 9 0 8 101/);
    await invite.ack(registrar.invite(contact).sdp);
    await call.event("connected");
    call.hangUp();
    expect(await call.ended).toMatchObject({ reason: "persona_concluded" });
    expect(field(await invite.request("BYE"), "From")).toMatch(/tag=/);
  });

  test("registers for as long as the registrar's least time", async () => {
    const { call } = await wait({}, "brief");
    call.hangUp();
    await call.ended;
    await registrar.message((text) => text.includes("sip:brief@") && field(text, "Expires") === "0");
    const times = registrar.received
      .filter((text) => text.includes("sip:brief@"))
      .map((text) => field(text, "Expires"));
    expect(times).toEqual(["60", "90", "0"]);
  });

  test("answers a repeated INVITE with the same response, and sends its 200 again until the ACK", async () => {
    const { call, contact } = await wait();
    const invite = registrar.invite(contact);
    await invite.response(180);
    invite.repeat();
    await until("two 180", () => invite.responses().filter((status) => status === 180).length >= 2);
    await until("two 200", () => invite.responses().filter((status) => status === 200).length >= 2);
    await invite.ack();
    await call.event("connected");
    const tags = registrar.received
      .filter((text) => field(text, "Call-ID") === invite.callId && text.startsWith("SIP/2.0 200"))
      .map((text) => field(text, "To"));
    expect(new Set(tags).size).toBe(1);
    call.hangUp();
    await call.ended;
  });

  test("takes the next call when a caller gave up before the answer, and is busy for a second caller", async () => {
    const { call, contact } = await wait();
    const first = registrar.invite(contact);
    await first.response(180);
    first.cancel();
    await first.response(487);
    const second = registrar.invite(contact);
    await second.response(180);
    const third = registrar.invite(contact);
    await third.response(486);
    await second.response(200);
    await second.ack();
    await call.event("connected");
    await second.bye();
    const ended = await call.ended;
    expect(ended.reason).toBe("agent_never_joined");
    expect(stepsOf(ended).map(([step]) => step)).toEqual([
      "registered",
      "waiting",
      "invited",
      "ringing",
      "canceled",
      "invited",
      "ringing",
      "answered",
      "ended",
    ]);
  });

  test.each([
    ["a caller that the connection does not name", { caller: "+4440" }, 404, /came from "\+4440"/],
    ["a caller without a name", { caller: "anonymous" }, 404, /came from "anonymous"/],
    ["a header that names another simulation", { headers: ["X-Svc-Simulation: sim_other"] }, 404, /another simulation/],
    [
      "two headers of which one names the simulation",
      { headers: ["X-Svc-Simulation: sim_own", "X-Svc-Simulation: sim_other"] },
      404,
      /another simulation/,
    ],
    ["an address that was never registered", { uri: "sip:svc@127.0.0.1" }, 404, /another address/],
    ["a required extension", { headers: ["Require: 100rel"] }, 420, /required 100rel/],
    [
      "an encoding that the service does not have",
      { sdp: "v=0\r\nc=IN IP4 127.0.0.1\r\nm=audio 4000 RTP/AVP 18\r\n" },
      488,
      /no sound/,
    ],
    ["a Contact that is no address", { headers: ["Record-Route: <tel:1>"] }, 480, /Contact or Record-Route/],
  ] as const)("refuses a call with %s, waits on, and says why no call came", async (_, options, status, why) => {
    const { call, contact } = await wait({ waitSeconds: 2 });
    const invite = registrar.invite(contact, options as object);
    const text = await invite.response(status);
    expect(text).not.toMatch(/sim_own|user\d/);
    const ended = await call.ended;
    expect(ended).toMatchObject({ reason: "no_call", isOurFault: false, summary: null });
    expect(ended.note).toMatch(why);
    expect(stepsOf(ended).slice(2)).toEqual([
      ["invited", "agent", null],
      ["refused", "caller", status],
      ["ended", "outside", null],
    ]);
  });

  test("with matching by the header, takes only a call that names the simulation", async () => {
    const { call, contact } = await wait({ matching: "header" });
    const unnamed = registrar.invite(contact);
    await unnamed.response(404);
    expect(unnamed.responses()).not.toContain(180);
    const invite = registrar.invite(contact, { headers: ["X-Svc-Simulation: sim_own"] });
    await invite.response(200);
    await invite.ack();
    await call.event("connected");
    call.hangUp();
    await call.ended;
  });

  test("does not answer a flood of a stranger's calls, and takes the agent's call meanwhile", async () => {
    const { call, contact } = await wait({ callers: "*" });
    const port = Number(/:(\d+)/.exec(contact.split("@")[1]!)![1]);
    const { createSocket } = await import("node:dgram");
    const stranger = createSocket("udp4").bind(0, "127.0.0.2");
    const heard: Buffer[] = [];
    stranger.on("message", (datagram) => heard.push(datagram));
    const text = `INVITE ${contact} SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.2:5060;branch=z9hG4bKx\r\nFrom: <sip:agent@x>;tag=1\r\nTo: <${contact}>\r\nCall-ID: x\r\nCSeq: 1 INVITE\r\nContact: <sip:x@127.0.0.2>\r\nContent-Length: 0\r\n\r\n`;
    for (let sent = 0; sent < 2_000; sent++) stranger.send(text, port, "127.0.0.1");
    const invite = registrar.invite(contact);
    await invite.response(200);
    await invite.ack();
    await call.event("connected");
    call.hangUp();
    await call.ended;
    expect(heard).toEqual([]);
    stranger.close();
  });

  test("ends as no_call, caused by nobody's agent, when no call comes", async () => {
    const { call } = await wait({ waitSeconds: 1 });
    const ended = await call.ended;
    expect(ended).toMatchObject({ reason: "no_call", isOurFault: false });
    expect(stepsOf(ended)).toEqual([
      ["registered", "agent", 200],
      ["waiting", "caller", null],
      ["ended", "outside", null],
    ]);
  });

  test("ends as credential_rejected when the registrar refuses its password", async () => {
    const call = placeOn(pool, {
      kind: "incoming_call",
      simulationId: "sim_own",
      account: registrar.accountOf("locked"),
      transport: "udp",
      outboundProxy: undefined,
      credential: { user: "svc", password: "wrong-wrong" },
      callers: "*",
      matching: "account",
      waitSeconds: 30,
      headers: {},
      privateAddresses: "allow",
    });
    expect(await call.ended).toMatchObject({ reason: "credential_rejected" });
  });
});
