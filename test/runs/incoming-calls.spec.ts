import type { Simulation } from "@svc/contract";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FakeRegistrar, type PlacedInvite, startFakeRegistrar } from "../support/calls/fake-registrar.ts";
import { incomingConnection, settled, simulationsOf, startRun, versionsOf } from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

const WAIT_MS = 120_000;
const DIAL_KEY = "d1al-k3y-d1al-k3y";

let server: TestServer;
let registrar: FakeRegistrar;
let platform: Server;
const requests: { headers: IncomingMessage["headers"]; body: Record<string, unknown> }[] = [];
let users = 0;

/** The platform of an agent, which lets the agent call when it is asked for it. The path of the URL chooses the agent. */
const AGENTS: Record<string, (contact: string, simulationId: string) => void> = {
  "/polite": (contact) => void converse(registrar.invite(contact)),
  "/tried": (contact, simulationId) =>
    void answers(registrar.invite(contact, { headers: [`X-Svc-Simulation: ${simulationId}`] })),
  "/silent": () => {},
};

const loudPackets = ({ heard }: PlacedInvite) =>
  heard.map((packet) => packet.subarray(12).some((code) => (code & 0x7f) < 0x40));

/** Speaks first, and once more when the called person has said something. */
async function answers(invite: PlacedInvite): Promise<void> {
  await invite.response(200);
  await invite.ack();
  await invite.say(0.8);
  await until("the person's words and a pause", () => {
    const loud = loudPackets(invite);
    return loud.filter(Boolean).length > 20 && !loud.slice(-20).includes(true);
  });
  await invite.say(0.8);
}

/** Waits for the hello of the called person, speaks, hears the person, and hangs up. */
async function converse(invite: PlacedInvite): Promise<void> {
  await invite.response(200);
  await invite.ack();
  const loud = () => loudPackets(invite).filter(Boolean).length;
  await until("hello", () => loud() > 5);
  await invite.say(1.5);
  const before = loud();
  await until("the person's answer", () => loud() > before + 20);
  await invite.bye();
}

beforeAll(async () => {
  server = await startServer();
  registrar = await startFakeRegistrar();
  platform = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
    requests.push({ headers: request.headers, body });
    const path = request.url!;
    if (path === "/refuses") return response.writeHead(500).end();
    if (path === "/redirects") return response.writeHead(302, { location: "/polite" }).end();
    response.writeHead(202).end();
    const account = String(body["number"]);
    AGENTS[path]!(await latestContactOf(account), String(body["simulationId"]));
  }).listen(0, "127.0.0.1");
  await once(platform, "listening");
});
afterAll(async () => {
  registrar.stop();
  platform.close();
  await server.stop();
});

const latestContactOf = async (account: string) => {
  const texts = registrar.received.filter((text) => text.startsWith("REGISTER") && text.includes(`<${account}>`));
  return /^Contact: <(.*)>/m.exec(texts.findLast((text) => /^Expires: 60/m.test(text))!)![1]!;
};
const dialUrl = (path: string) => `http://127.0.0.1:${(platform.address() as AddressInfo).port}${path}`;

async function run(config: Record<string, string>, iterations = 1): Promise<Simulation[]> {
  const account = registrar.accountOf(`u${++users}`);
  const over = await incomingConnection(
    server.client,
    { account, callers: "agent", ...config },
    { user: "svc", password: "s3cr3t-s3cr3t", dialKey: DIAL_KEY },
  );
  const scenario = "Says: I would like to move my appointment to next Friday, please.";
  const testVersions = await versionsOf(server.client, [{ scenario, behaviors: ["ends the call"] }]);
  const started = await startRun(server.client, { ...over, testVersions, caller: "scripted", iterations });
  await settled(server.client, started.id, WAIT_MS);
  return simulationsOf(server.client, started.id);
}

test("a person that an agent calls says hello, hears the agent and answers, and the platform was asked to let it call", async () => {
  const [simulation] = await run({ dialUrl: dialUrl("/polite") });
  expect(simulation).toMatchObject({ endingReason: "agent_ended", verdict: "passed" });
  expect(simulation!.turns.map(({ role, text }) => [role, text]).slice(0, 3)).toEqual([
    ["caller", "Hello?"],
    ["agent", null],
    ["caller", "I would like to move my appointment to next Friday, please."],
  ]);
  expect(simulation!.line!.steps.map(({ step, by }) => [step, by])).toEqual([
    ["registered", "agent"],
    ["waiting", "caller"],
    ["invited", "agent"],
    ["ringing", "caller"],
    ["answered", "caller"],
    ["heard", "agent"],
    ["ended", "agent"],
  ]);
  const { headers, body } = requests.find(({ body: sent }) => sent["simulationId"] === simulation!.id)!;
  expect(headers.authorization).toBe(`Bearer ${DIAL_KEY}`);
  expect(body).toMatchObject({
    attempt: expect.any(Number),
    headers: { "X-Svc-Simulation": simulation!.id },
    tools: { url: expect.stringContaining(simulation!.id) },
  });
  const trace = await server.client.traces.get({ traceId: simulation!.traceId!, wait: 20 });
  expect(trace.line!.steps).toEqual(simulation!.line!.steps);
  expect(trace.channel).toBe("telephone");
  expect(trace.quality.unmappedKeys).toEqual([]);
});

test("simulations wait at an account one after another, and together when calls name them", async () => {
  const spans = (simulations: readonly Simulation[]) =>
    simulations
      .map(({ line }) => {
        const steps = line!.steps.map(({ at }) => Date.parse(at));
        return [steps[0]!, steps.at(-1)!] as const;
      })
      .toSorted(([one], [other]) => one - other);
  const apart = spans(await run({ dialUrl: dialUrl("/polite") }, 2));
  expect(apart[1]![0]).toBeGreaterThanOrEqual(apart[0]![1]);
  const named = await run({ dialUrl: dialUrl("/silent"), matching: "header", waitSeconds: "30" }, 2);
  expect(named.map(({ endingReason }) => endingReason)).toEqual(["no_call", "no_call"]);
  const together = spans(named);
  expect(together[1]![0]).toBeLessThan(together[0]![1]);
});

test("a wait for a call ends as connection_refused when the platform does not let the agent call, and no redirect is followed", async () => {
  for (const [path, why] of [
    ["/refuses", /dialUrl answered with status 500/],
    ["/redirects", /redirect, which is not followed: check the connection's dialUrl/],
  ] as const) {
    const before = requests.length;
    const [simulation] = await run({ dialUrl: dialUrl(path) });
    expect(simulation).toMatchObject({ endingReason: "connection_refused", endedBy: "outside", verdict: "errored" });
    expect(simulation!.message).toMatch(why);
    expect(requests).toHaveLength(before + 1);
  }
});

test("the plan of a run names the number that the agent must call", async () => {
  const config = { account: "sip:1001@pbx.example.test", callers: "+4930*", number: "+493012345678" };
  const over = await incomingConnection(server.client, config);
  const testVersions = await versionsOf(server.client, [{ scenario: "Says: Hello.", behaviors: ["ends the call"] }]);
  const { plan } = (await server.client.runs.create({ ...over, testVersions, dryRun: true })) as never as {
    plan: { incomingCalls: object };
  };
  expect(plan.incomingCalls).toEqual({
    number: "+493012345678",
    callers: "+4930*",
    matching: "account",
    waitSeconds: 60,
    dialUrl: null,
  });
});

test("a try of an incoming call waits for the call, and shows each step", async () => {
  const account = registrar.accountOf("tried");
  const over = await incomingConnection(server.client, { account, callers: "agent", dialUrl: dialUrl("/tried") });
  const other = await incomingConnection(server.client, { account, callers: "agent" });
  const trying = server.client.connections.try(over, { timeoutMs: 80_000 });
  await until("the registration", () => registrar.received.some((text) => text.includes("sip:tried@")));
  expect(await server.client.connections.try(other)).toMatchObject({
    result: "fails",
    endingReason: "call_not_placed",
    message: expect.stringMatching(/waits for a call at this account/),
  });
  const tried = await trying;
  expect(tried).toMatchObject({ result: "works", endingReason: null });
  expect(tried.line!.steps.map(({ step }) => step)).toEqual([
    "registered",
    "waiting",
    "invited",
    "ringing",
    "answered",
    "heard",
    "ended",
  ]);
});

test.each(["", ",", "a b", "<sip:x>", "+49 30", Array.from({ length: 21 }, (_, at) => `u${at}`).join()])(
  "a list of callers %j is refused",
  async (callers) => {
    await expect(
      incomingConnection(server.client, { account: "sip:1001@pbx.example.test", callers }),
    ).rejects.toMatchObject({ status: 422 });
  },
);
