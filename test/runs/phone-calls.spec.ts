import type { RunPlan, Simulation } from "@svc/contract";
import type { Client } from "@svc/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FakeSipAgent, isRightDigest, startFakeSipAgent } from "../support/calls/fake-sip-agent.ts";
import { phoneConnection, settled, simulationsOf, startRun, versionsOf } from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { openStreams } from "../support/calls/signal-channel.ts";
import { until } from "../support/until.ts";
import { freshName } from "../support/world.ts";

const WAIT_MS = 150_000;
const CREDENTIAL = { user: "acme", password: "s3cr3t-s3cr3t" };
const CALLER_ID = "+493099999999";
const CHALLENGE = `Proxy-Authenticate: Digest realm="trunk", nonce="n", qop="auth"`;
const DESK = "+493011111111";
const BUSY = "+493022222222";
const TALKER = "+493033333333";

let server: TestServer;
let carrier: FakeSipAgent;
beforeAll(async () => {
  server = await startServer();
  carrier = await startFakeSipAgent({
    async [DESK](call) {
      if (!isRightDigest(call.invite.text, "md5", CREDENTIAL.user, CREDENTIAL.password, "trunk"))
        return call.respond(407, [CHALLENGE]);
      call.respond(180);
      call.accept();
      await call.confirmed();
      await call.say(1.2);
      await new Promise((resolve) => setTimeout(resolve, 4_000));
      await call.say(1);
      call.request("BYE");
    },
    [BUSY]: (call) => call.respond(486),
    async [TALKER](call) {
      call.accept();
      await call.confirmed();
      void call.say(120);
    },
  });
});
afterAll(async () => {
  carrier.stop();
  await server.stop();
});

/** Returns a client of a new project, whose trunks leave those of other cases alone. */
async function newProject(): Promise<Client> {
  const { project } = await server.admin.projects.create({ name: freshName("project") });
  const { secret } = await server.admin.keys.create({ name: freshName("key"), project_id: project.id });
  return server.clientOf(secret);
}

const addTrunk = async (client: Client, more: object = {}) => {
  const address = `127.0.0.1:${carrier.port}`;
  return (await client.trunks.create({ name: freshName("trunk"), address, callerId: CALLER_ID, ...more })).trunk;
};

const invitesTo = (number: string) =>
  carrier.received.filter(({ text }) => text.startsWith(`INVITE sip:${number}@`)).map(({ text }) => text);
const callsTo = (number: string) => new Set(invitesTo(number).map((text) => /^Call-ID: (.*)$/m.exec(text)![1])).size;

type Wanted = Parameters<typeof startRun>[1];

async function runOf(client: Client, number: string, more: Partial<Wanted> = {}, config: object = {}): Promise<Wanted> {
  const over = await phoneConnection(client, { phoneNumber: number, ...config });
  const testVersions = await versionsOf(client, [{ scenario: "Says: Goodbye.", behaviors: ["ends the call"] }]);
  return { ...over, testVersions, caller: "scripted", ...more };
}

async function played(client: Client, wanted: Wanted): Promise<Simulation[]> {
  const run = await startRun(client, wanted);
  await settled(client, run.id, WAIT_MS);
  return simulationsOf(client, run.id);
}

describe("a call to a telephone number", () => {
  test("a call to a telephone number is placed over the trunk, with its caller id and its credential", async () => {
    const client = await newProject();
    await addTrunk(client, { credential: CREDENTIAL, allowedNumbers: ["+4930*"] });
    const [simulation] = await played(client, await runOf(client, DESK));
    expect(simulation).toMatchObject({ endingReason: "agent_ended", endedBy: "agent", verdict: "passed" });
    expect(simulation!.line!.steps.map(({ step, by, status }) => [step, by, status])).toEqual([
      ["invited", "caller", null],
      ["challenged", "agent", 407],
      ["invited", "caller", null],
      ["ringing", "agent", 180],
      ["answered", "agent", 200],
      ["heard", "agent", null],
      ["ended", "agent", null],
    ]);
    const [invite] = invitesTo(DESK);
    expect(invite).toMatch(new RegExp(`^INVITE sip:\\${DESK}@127\\.0\\.0\\.1:${carrier.port} SIP/2\\.0\\r\\n`));
    expect(invite).toContain(`From: <sip:${CALLER_ID}@127.0.0.1>;tag=`);
    expect(invite).toContain(`To: <sip:${DESK}@127.0.0.1:${carrier.port}>\r\n`);
    expect(invite).toContain(`X-Svc-Simulation: ${simulation!.id}\r\n`);
    const [trunk] = (await client.trunks.list({})).trunks;
    expect(trunk!.callsInLastDay).toBeGreaterThanOrEqual(1);
    expect(JSON.stringify([carrier.received, simulation])).not.toContain(CREDENTIAL.password);
  });

  test("a call to a telephone number is ended by the service after the longest call of the trunk, which is not the agent's end", async () => {
    const client = await newProject();
    await addTrunk(client, { allowedNumbers: [TALKER], maxCallSeconds: 5 });
    const before = carrier.received.length;
    const [simulation] = await played(client, await runOf(client, TALKER));
    expect(simulation).toMatchObject({
      endingReason: "time_limit",
      endedBy: "limit",
      message: expect.stringContaining("after 5 s, the longest call of its trunk"),
    });
    const { steps } = simulation!.line!;
    expect(steps.at(-1)).toMatchObject({ step: "ended", by: "caller" });
    const at = (name: string) => Date.parse(steps.find(({ step }) => step === name)!.at);
    expect(at("ended") - at("answered")).toBeGreaterThanOrEqual(4_900);
    expect(at("ended") - at("answered")).toBeLessThan(8_000);
    expect(carrier.received.slice(before).some(({ method }) => method === "BYE")).toBe(true);
  });

  test("a call to a telephone number is ended with BYE when its run is canceled", async () => {
    const client = await newProject();
    await addTrunk(client, { allowedNumbers: [TALKER] });
    const before = carrier.received.length;
    const since = (method: string) => carrier.received.slice(before).some((said) => said.method === method);
    const run = await startRun(client, await runOf(client, TALKER));
    await until("the call is answered", () => since("ACK"));
    await client.runs.cancel({ runId: run.id });
    await until("the far side gets BYE", () => since("BYE"));
  });
});

describe("the plan of a run", () => {
  const planOf = async (client: Client, wanted: Wanted): Promise<RunPlan> => {
    const answer = await client.runs.create({ ...wanted, dryRun: "true" });
    if (!("plan" in answer)) throw new Error("no plan");
    return answer.plan;
  };

  test("the plan of a run names the number, the trunk, and the greatest number of calls and minutes", async () => {
    const client = await newProject();
    const { name } = await addTrunk(client, { allowedNumbers: [BUSY], maxCallSeconds: 90, callsPerDay: 4 });
    const before = callsTo(BUSY);
    const plan = await planOf(client, await runOf(client, BUSY, { iterations: 5 }));
    expect(plan.phoneCalls).toEqual({ numbers: [BUSY], trunk: name, callsAtMost: 20, minutesAtMost: 30 });
    expect(plan.warnings).toContainEqual(
      expect.stringMatching(/places at most 4 calls in 24 hours.*--calls-per-day 5/),
    );
    expect(callsTo(BUSY)).toBe(before);
  });

  test.each([
    ["without a trunk", [], {}, /no trunk.*svc trunks create/],
    [
      "over a trunk that calls nobody",
      [{}],
      {},
      /does not have \+493022222222\. Add it: svc trunks edit trk_\w+ --allow \+4/,
    ],
    ["over a trunk that allows other numbers", [{ allowedNumbers: ["+4940*", "+49302222222"] }], {}, /does not have/],
    ["over one of two trunks", [{}, {}], {}, /several trunks: "trunk \d+", "trunk \d+"\. .*--config trunk=NAME/],
    ["over an unknown trunk", [{}], { trunk: "Nobody's" }, /no trunk "Nobody's", which the connection names/],
  ])("a run %s is refused with what to do", async (_, trunks, config, message) => {
    const client = await newProject();
    for (const trunk of trunks) await addTrunk(client, trunk);
    const before = carrier.received.length;
    await expect(startRun(client, await runOf(client, BUSY, {}, config))).rejects.toMatchObject({
      code: "unprocessable",
      message: expect.stringMatching(message),
    });
    expect(carrier.received).toHaveLength(before);
  });

  test("another project's trunk does not exist, even by its id", async () => {
    const [ours, theirs] = [await newProject(), await newProject()];
    const { id } = await addTrunk(theirs, { allowedNumbers: [BUSY] });
    await addTrunk(ours, { allowedNumbers: [BUSY] });
    await expect(startRun(ours, await runOf(ours, BUSY, {}, { trunk: id }))).rejects.toMatchObject({
      code: "unprocessable",
      message: expect.stringMatching(new RegExp(`no trunk "${id}"`)),
    });
  });

  test("one of several trunks is named by its name", async () => {
    const client = await newProject();
    await addTrunk(client);
    const { name } = await addTrunk(client, { allowedNumbers: [BUSY] });
    expect((await planOf(client, await runOf(client, BUSY, {}, { trunk: name }))).phoneCalls!.trunk).toBe(name);
  });
});

describe("the limits of a trunk", () => {
  test("a burst of simulations never exceeds the calls of a day, and no agent fails for it", async () => {
    const client = await newProject();
    await addTrunk(client, { allowedNumbers: [BUSY], callsPerDay: 3, callsPerMinute: 100 });
    const before = callsTo(BUSY);
    const wanted = await runOf(client, BUSY, { iterations: 5, concurrency: 5 });
    const simulations = (await Promise.all([played(client, wanted), played(client, wanted)])).flat();
    expect(callsTo(BUSY) - before).toBe(3);
    const refused = simulations.filter(({ endingReason }) => endingReason === "call_not_placed");
    expect(refused).toHaveLength(7);
    for (const { verdict, endedBy, message } of refused) {
      expect([verdict, endedBy]).toEqual(["errored", "limit"]);
      expect(message).toMatch(
        /has reached its limit of 3 calls in 24 hours\. Wait, or raise the limit: svc trunks edit trk_/,
      );
    }
    expect(simulations.map(({ verdict }) => verdict)).not.toContain("failed");
    expect((await client.trunks.list({})).trunks[0]!.callsInLastDay).toBe(3);
  });

  test("a simulation beyond the calls of a minute waits, and is played when the limit permits it", async () => {
    const client = await newProject();
    const { id: trunkId } = await addTrunk(client, { allowedNumbers: [BUSY], callsPerMinute: 2 });
    const before = callsTo(BUSY);
    const run = await startRun(client, await runOf(client, BUSY, { iterations: 3, concurrency: 3 }));
    const waiting = await until("two calls have ended", async () => {
      const statuses = (await simulationsOf(client, run.id)).map(({ status }) => status).toSorted();
      return statuses[1] === "failed" && statuses;
    });
    expect([waiting[2], callsTo(BUSY) - before]).toEqual(["queued", 2]);
    await client.trunks.edit({ trunkId, callsPerMinute: 10 });
    await settled(client, run.id, WAIT_MS);
    expect((await simulationsOf(client, run.id)).map(({ endingReason }) => endingReason)).toEqual([
      "busy",
      "busy",
      "busy",
    ]);
  });

  test("simulations that wait for their trunk take no place of other calls", async () => {
    const small = await startServer({ settings: { SVC_CALLS_AT_ONCE: "2" } });
    try {
      const { client } = small;
      const [slow, quick] = [
        await addTrunk(client, { allowedNumbers: [BUSY], callsPerMinute: 1 }),
        await addTrunk(client, { allowedNumbers: [BUSY] }),
      ];
      const before = callsTo(BUSY);
      const over = (trunk: { id: string }, iterations: number) =>
        runOf(client, BUSY, { iterations, concurrency: 5 }, { trunk: trunk.id });
      await startRun(client, await over(slow, 5));
      await until("the slow trunk has placed its call", () => callsTo(BUSY) - before === 1);
      const others = await played(client, await over(quick, 4));
      expect(others.map(({ endingReason }) => endingReason)).toEqual(["busy", "busy", "busy", "busy"]);
      expect(callsTo(BUSY) - before).toBe(5);
    } finally {
      await small.stop();
    }
  });

  test("a simulation that waits ends at once when its run is canceled", async () => {
    const client = await newProject();
    await addTrunk(client, { allowedNumbers: [BUSY], callsPerMinute: 1 });
    const before = callsTo(BUSY);
    const run = await startRun(client, await runOf(client, BUSY, { iterations: 2, concurrency: 2 }));
    await until("one call is placed", () => callsTo(BUSY) - before === 1);
    await client.runs.cancel({ runId: run.id });
    const simulations = await simulationsOf(client, run.id);
    expect(simulations.map(({ status }) => status)).toContain("canceled");
    expect(callsTo(BUSY) - before).toBe(1);
  });

  test("a number that left the allow-list after the start of its run is not called", async () => {
    const client = await newProject();
    const { id: trunkId } = await addTrunk(client, { allowedNumbers: [BUSY], callsPerMinute: 1 });
    const before = callsTo(BUSY);
    const run = await startRun(client, await runOf(client, BUSY, { iterations: 2, concurrency: 1 }));
    await until("one call is placed", () => callsTo(BUSY) - before === 1);
    await client.trunks.edit({ trunkId, allowedNumbers: [], callsPerMinute: 10 });
    await settled(client, run.id, WAIT_MS);
    const reasons = (await simulationsOf(client, run.id)).map(({ endingReason }) => endingReason);
    expect(new Set(reasons)).toEqual(new Set(["busy", "call_not_placed"]));
    expect(callsTo(BUSY) - before).toBe(1);
  });
});

describe("a try of a telephone number", () => {
  test("calls it, step by step", async () => {
    const client = await newProject();
    await addTrunk(client, { credential: CREDENTIAL, allowedNumbers: [DESK] });
    const tried = await client.connections.try(await phoneConnection(client, { phoneNumber: DESK }));
    expect(tried).toMatchObject({ result: "works", endingReason: null });
    expect(tried.steps.map(({ step, result }) => `${step} ${result}`).slice(0, 3)).toEqual([
      "prepare done",
      "connect done",
      "greeting done",
    ]);
    expect(tried.line!.steps.map(({ step }) => step)).toContain("challenged");
  });

  test.each([
    ["without a trunk", undefined, /no trunk/],
    ["that the trunk does not allow", {}, /does not have \+493022222222\. Add it: svc trunks edit/],
    ["beyond the calls of a day", { allowedNumbers: [BUSY], callsPerDay: 1 }, /limit of 1 calls in 24 hours\. Wait/],
    [
      "beyond the calls of a minute",
      { allowedNumbers: [BUSY], callsPerMinute: 1 },
      /limit of 1 calls in a minute\. Wait \d+ s/,
    ],
  ])("a try %s says what to do, and calls nobody", async (_, trunk, message) => {
    const client = await newProject();
    if (trunk) await addTrunk(client, trunk);
    const over = await phoneConnection(client, { phoneNumber: BUSY });
    if (trunk && "callsPerDay" in trunk) await client.connections.try(over);
    if (trunk && "callsPerMinute" in trunk) await client.connections.try(over);
    const before = callsTo(BUSY);
    const tried = await client.connections.try(over);
    expect(tried).toMatchObject({ result: "fails", endingReason: "call_not_placed", endedBy: "limit" });
    expect(tried.steps[0]).toMatchObject({ step: "prepare", result: "failed" });
    expect(tried.message).toMatch(message);
    expect(callsTo(BUSY)).toBe(before);
  });

  test("a carrier that refuses the password is to blame for it, not the agent", async () => {
    const client = await newProject();
    await addTrunk(client, { credential: { ...CREDENTIAL, password: "an0ther-one" }, allowedNumbers: [DESK] });
    const tried = await client.connections.try(await phoneConnection(client, { phoneNumber: DESK }));
    expect(tried).toMatchObject({ result: "fails", endingReason: "credential_rejected", endedBy: "outside" });
  });

  test("a trunk whose address names a transport is called over it", async () => {
    const client = await newProject();
    const exchange = await startFakeSipAgent({ [BUSY]: (call) => call.respond(486) }, undefined, await openStreams());
    await addTrunk(client, { address: `127.0.0.1:${exchange.port};transport=TCP`, allowedNumbers: [BUSY] });
    const [simulation] = await played(client, await runOf(client, BUSY));
    expect(simulation).toMatchObject({ endingReason: "busy" });
    expect(exchange.received[0]!.text).toMatch(/^INVITE [^]*\r\nVia: SIP\/2\.0\/TCP /);
    expect(exchange.received[0]!.text).toContain(`INVITE sip:${BUSY}@127.0.0.1:${exchange.port} SIP/2.0`);
    exchange.stop();
  });

  test("the address of a trunk passes the guard of addresses", async () => {
    const client = await newProject();
    await addTrunk(client, { address: "169.254.169.254:5060", allowedNumbers: [BUSY] });
    const tried = await client.connections.try(await phoneConnection(client, { phoneNumber: BUSY }));
    expect(tried).toMatchObject({ result: "fails", endingReason: "connection_refused", endedBy: "outside" });
    expect(tried.line!.steps.map(({ step }) => step)).toEqual(["ended"]);
  });
});
