import { createSocket } from "node:dgram";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENDING_REASONS } from "@svc/contract";
import { createLog } from "../../packages/server/src/base/log/log.ts";
import { type MediaPool, openMediaPool } from "../../packages/server/src/voice/calls/media/pool.ts";
import { type FakeSipAgent, type FakeSipCall, speaks, startFakeSipAgent } from "../support/calls/fake-sip-agent.ts";
import { IS_LONG } from "../support/long-form.ts";
import { placeOn, type SipOrder, sipOrderOf } from "../support/calls/placed-call.ts";

/** Each status with which an endpoint refuses a call, and the reason of the ending. None of them is a failure of the agent. */
const REFUSALS: [status: number, reason: string, note: RegExp][] = [
  [302, "connection_refused", /redirects the call, which is not followed/],
  [400, "connection_refused", /did not accept the call/],
  [401, "credential_rejected", /user and a password/],
  [403, "call_rejected", /refused the call/],
  [404, "unknown_address", /knows no such address/],
  [407, "credential_rejected", /user and a password/],
  [408, "connection_refused", /did not react/],
  [410, "unknown_address", /no longer/],
  [429, "rate_limited", /too many calls/],
  [480, "connection_refused", /nobody is there/],
  [484, "unknown_address", /incomplete/],
  [486, "busy", /is busy/],
  [487, "connection_refused", /did not accept the call/],
  [488, "connection_refused", /PCMU, PCMA or G.722/],
  [500, "connection_refused", /failed/],
  [503, "connection_refused", /not available/],
  [504, "connection_refused", /failed/],
  [600, "busy", /busy everywhere/],
  [603, "call_rejected", /rejected/],
  [604, "unknown_address", /no such address/],
  [606, "connection_refused", /PCMU, PCMA or G.722/],
  [699, "call_rejected", /refused the call/],
];

let pool: MediaPool;
let agent: FakeSipAgent;
beforeAll(async () => {
  pool = openMediaPool(createLog("silent"));
  agent = await startFakeSipAgent(
    {
      speaks,
      rings: (call) => call.respond(180),
      "rings-garbled": (call) => {
        call.respond(180);
        call.respond(200, ["a line that is no header"]);
      },
      password(call) {
        if (/^Authorization:/m.test(call.invite.text)) return call.respond(403);
        call.respond(401, [`WWW-Authenticate: Digest realm="desk", nonce="n", qop="auth"`]);
      },
      "bad-contact": (call) => call.accept(["Contact: <sip:agent@127.0.0.1:0>"]),
      metadata: (call) => call.accept(["Contact: <sip:agent@169.254.169.254>"]),
      "metadata-sound": (call) =>
        call.accept(undefined, (sdp) => sdp.replace("c=IN IP4 127.0.0.1", "c=IN IP4 169.254.169.254")),
      deaf: (call) => call.accept(undefined, (sdp) => sdp.replace("AVP 0", "AVP 96")),
      ...Object.fromEntries(REFUSALS.map(([status]) => [`s${status}`, (call: FakeSipCall) => call.respond(status)])),
      ...Object.fromEntries(
        [408, 480].map((status) => [
          `rang${status}`,
          (call: FakeSipCall) => {
            call.respond(180);
            call.respond(status);
          },
        ]),
      ),
      ...Object.fromEntries(
        [408, 480].map((status) => [
          `announced${status}`,
          (call: FakeSipCall) => {
            call.respond(183);
            call.respond(status);
          },
        ]),
      ),
    },
    (text) => (text.includes("sip:stranger@") ? [403] : [200]),
  );
});
afterAll(async () => {
  agent.stop();
  await pool.close();
});

const place = (user: string, more: Partial<SipOrder> = {}) => placeOn(pool, sipOrderOf(agent, user, more));

describe("a call that does not come about", () => {
  test.each(REFUSALS)("with status %i ends as %s", async (status, reason, note) => {
    const ended = await place(`s${status}`).ended;
    expect(ended).toMatchObject({ reason, note: expect.stringMatching(note), isOurFault: false, summary: null });
    expect(ENDING_REASONS[ended.reason].by).toBe("outside");
    expect(ended.line!.steps).toMatchObject([
      { step: "invited", by: "caller" },
      { step: "ended", by: "agent", status },
    ]);
    await agent.message(new RegExp(`^ACK sip:s${status}@`));
  });

  test.each([408, 480])("with status %i after it rang ends as no_answer, which is the agent's", async (status) => {
    const ended = await place(`rang${status}`).ended;
    expect(ended).toMatchObject({ reason: "no_answer", note: expect.stringMatching(/rang and nobody answered/) });
    expect(ENDING_REASONS[ended.reason].by).toBe("agent");
    expect(ended.line!.steps.map(({ step }) => step)).toEqual(["invited", "ringing", "ended"]);
  });

  test.each([408, 480])(
    "with status %i after an announcement (183) and no ring ends as connection_refused, which is not the agent's",
    async (status) => {
      const ended = await place(`announced${status}`).ended;
      expect(ended.reason).toBe("connection_refused");
      expect(ended.line!.steps).toMatchObject([
        { step: "invited" },
        { step: "ringing", status: 183 },
        { step: "ended", status },
      ]);
    },
  );

  test("with status 403 after a challenge names the password as a possible cause", async () => {
    const credential = { user: "svc", password: "s3cr3t-s3cr3t" };
    const ended = await place("password", { credential }).ended;
    expect(ended).toMatchObject({ reason: "call_rejected", note: expect.stringMatching(/after it got the user/) });
  });

  test("whose answer is malformed ends as connection_refused, and names the malformed message", async () => {
    const garbled = await startFakeSipAgent({
      garbled(call, attempt) {
        call.respond(200, ["a line that is no header"]);
        if (attempt > 0) garbled.stop();
      },
    });
    const ended = await placeOn(pool, sipOrderOf(garbled, "garbled")).ended;
    expect(ended).toMatchObject({ reason: "connection_refused", note: expect.stringMatching(/is malformed/) });
  });

  // The caller waits 45 s for the agent, so this case runs only in the long form.
  test.runIf(IS_LONG)("whose answer is malformed after it rang is no evidence that nobody answered", async () => {
    const ended = await place("rings-garbled").ended;
    expect(ended).toMatchObject({ reason: "connection_refused", note: expect.stringMatching(/is malformed/) });
  });

  test.each([
    ["bad-contact", "connection_refused", /Contact or Record-Route/],
    ["metadata", "connection_refused", /Contact or Record-Route/],
    ["metadata-sound", "media_unreachable", /description of its sound/],
    ["deaf", "agent_error", /no encoding/],
  ])("a call that does not come about ends at once with the unusable answer %s", async (user, reason, note) => {
    expect(await place(user).ended).toMatchObject({ reason, note: expect.stringMatching(note) });
  });

  test("whose registration is refused ends as credential_rejected, and is not placed", async () => {
    const ended = await place("speaks", { account: agent.urlOf("stranger") }).ended;
    expect(ended).toMatchObject({ reason: "credential_rejected", note: expect.stringMatching(/registrar refused/) });
    expect(ended.line!.steps).toMatchObject([{ step: "ended", by: "agent", status: 403 }]);
  });

  test("a call that does not come about is an error of the service when its media process dies, and no error of the agent", async () => {
    const own = openMediaPool(createLog("silent"));
    const call = placeOn(own, sipOrderOf(agent, "rings"));
    await call.event("waits_for_agent");
    for (const id of own.processIds()) process.kill(id, "SIGKILL");
    const ended = await call.ended;
    expect(ended).toMatchObject({ reason: "simulator_error", isOurFault: true, line: null });
    expect(ENDING_REASONS[ended.reason].by).toBe("service");
    await own.close();
  });

  test("a call that does not come about ends as connection_refused where nothing listens", async () => {
    const socket = createSocket("udp4").bind(0, "127.0.0.1");
    await once(socket, "listening");
    const { port } = socket.address();
    socket.close();
    expect(await place("x", { uri: `sip:x@127.0.0.1:${port}` }).ended).toMatchObject({
      reason: "connection_refused",
      note: expect.stringMatching(/Nothing answered SIP over UDP/),
    });
  });

  test("a call that does not come about is not placed to a private address where these are refused, nor to a metadata service", async () => {
    const before = agent.received.length;
    expect(await place("speaks", { privateAddresses: "refuse" }).ended).toMatchObject({
      reason: "connection_refused",
      note: expect.stringMatching(/private address/),
    });
    expect(await place("x", { uri: "sip:x@169.254.169.254" }).ended).toMatchObject({ reason: "connection_refused" });
    expect(agent.received).toHaveLength(before);
  });
});
