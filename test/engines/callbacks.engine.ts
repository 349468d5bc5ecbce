import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Answer, type ChatAgent, type Spoken, startChatAgent } from "../support/chat-agent.ts";
import { jsonOf, type Reply, send } from "../support/request.ts";
import {
  bridgeStarted,
  chatConnection,
  consoleConnection,
  settled,
  simulationsOf,
  startRun,
  versionsOf,
} from "../support/runs.ts";
import type { TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { openProcesses, type Processes } from "./processes.ts";
import { spawnService } from "./spawned.ts";
import { keySettings } from "../support/secret.ts";

const SCENARIO = "Caller says:\n- Hello.\n- Goodbye.";
const MOCK = { tool: "book", answer: { booked: true } };

let processes: Processes;
let one: TestServer;
let other: TestServer;
let agent: ChatAgent;
let answer: Answer;
beforeAll(async () => {
  agent = await startChatAgent((spoken, response) => answer(spoken, response));
  processes = await openProcesses(2, { settings: { SVC_TRUST_PROXY: "true" } });
  [one, other] = processes.services as [TestServer, TestServer];
});
afterAll(async () => {
  await processes.stop();
  agent.stop();
});

/** Returns the process that does not play the conversation to which this message belongs. */
const strangerTo = ({ tools }: Spoken) => (tools.url.startsWith(one.url) ? other : one);

function useToolAt(url: string, simulationId: string, token: string): Promise<Reply> {
  const path = `/v1/simulations/${simulationId}/tools/book`;
  return send(url, { method: "POST", path, key: token, json: { arguments: { day: "Friday" } } });
}

async function startOne(client = one.client) {
  const testVersions = await versionsOf(client, [{ scenario: SCENARIO, behaviors: ["calls book"], mockTools: [MOCK] }]);
  return startRun(client, { ...(await chatConnection(client, agent.url)), testVersions, caller: "scripted" });
}

async function storedRequests(): Promise<number> {
  const client = new pg.Client({ connectionString: processes.databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ count: string }>("SELECT count(*) FROM relayed_requests");
  await client.end();
  return Number(rows[0]!.count);
}

test("a tool that the agent calls at another process is answered by the one that plays, and the simulation goes on", async () => {
  const replies: Reply[] = [];
  answer = async (spoken) => {
    if (spoken.turn === 1)
      replies.push(
        ...(await Promise.all(
          Array.from({ length: 4 }, () => useToolAt(strangerTo(spoken).url, spoken.simulationId, spoken.tools.token)),
        )),
      );
    return { message: "Fine." };
  };
  const { id } = await startOne();
  await settled(other.client, id);
  const simulations = await simulationsOf(other.client, id);
  expect(replies.map(({ status, text }) => [status, JSON.parse(text)])).toEqual(
    replies.map(() => [200, { result: MOCK.answer }]),
  );
  expect(replies).toHaveLength(4);
  const { simulation } = await one.client.simulations.get({ simulationId: simulations[0]!.id });
  expect(simulation.verdict).toBe("passed");
  expect(simulation.toolCalls).toMatchObject(
    replies.map(() => ({ name: "book", mocked: true, arguments: { day: "Friday" }, result: MOCK.answer })),
  );
  expect(await storedRequests()).toBe(0);
});

test("an open conversation goes on at a process that does not hold it, and is refused there like an invented one when it has ended", async () => {
  answer = ({ event, message }) => (event === "start" ? {} : { message: `You said: ${message}` });
  const ids = await chatConnection(one.client, agent.url);
  const { openConversation } = await one.client.connections.try({ ...ids, message: "Hello.", staysOpen: true });
  const conversationId = openConversation!.id;
  const say = (staysOpen: boolean) =>
    other.client.connections.try({ ...ids, message: "Elsewhere.", conversationId, staysOpen });
  const further = await say(true);
  expect(further.turns.map(({ text }) => text)).toEqual(["Elsewhere.", "You said: Elsewhere."]);
  expect(further.openConversation).toMatchObject({ id: conversationId });
  expect((await say(false)).openConversation).toBeNull();
  await expect(say(false)).rejects.toMatchObject({ code: "not_found" });
  expect(await storedRequests()).toBe(0);
});

test("a process refuses the token of an ended conversation like an invented one, and stores neither request", async () => {
  const tokens: string[] = [];
  answer = (spoken) => {
    tokens.push(spoken.tools.token);
    return { message: "Fine." };
  };
  const { id } = await startOne();
  await settled(other.client, id);
  const simulations = await simulationsOf(other.client, id);
  const simulationId = simulations[0]!.id;
  for (const { url } of [one, other]) {
    const made = await useToolAt(url, simulationId, tokens[0]!);
    const invented = await useToolAt(url, simulationId, "x".repeat(tokens[0]!.length));
    expect(made.status).toBe(401);
    expect(made.text).toBe(invented.text);
  }
  expect(await storedRequests()).toBe(0);
});

test("a client carries the messages of one conversation through both processes", async () => {
  const testVersions = await versionsOf(one.client, [
    { scenario: SCENARIO, behaviors: ["calls book"], mockTools: [MOCK] },
  ]);
  const { id } = await startRun(one.client, { ...(await consoleConnection(one.client)), testVersions });
  const started = await Promise.all([bridgeStarted(one.client, id), bridgeStarted(other.client, id)]);
  expect(started[1]).toEqual(started[0]);
  const [{ simulationId, tools }] = started;
  for (const { url } of [one, other]) {
    const used = await useToolAt(url, simulationId, tools.token);
    expect(jsonOf(used)).toEqual({ result: MOCK.answer });
  }
  const heard: string[] = [];
  let carried = await other.client.simulations.bridge({ simulationId });
  while (!carried.over) {
    const { message } = carried;
    if (message) heard.push(message.text);
    const answered = message && { toMessage: message.number, messages: ["Fine."], toolCalls: [], ended: false };
    const through = heard.length % 2 === 0 ? other : one;
    carried = await through.client.simulations.bridge({ simulationId, ...(answered && { answered }) });
  }
  expect(heard).toEqual(["Hello.", "Goodbye."]);
  await settled(other.client, id);
  const simulations = await simulationsOf(other.client, id);
  expect(simulations[0]).toMatchObject({ status: "completed", verdict: "passed" });
});

test("a client that waits for the caller's next message gets it at once from any process", async () => {
  const testVersions = await versionsOf(one.client, [{ scenario: SCENARIO, behaviors: ['says "fine"'] }]);
  const { id } = await startRun(one.client, { ...(await consoleConnection(one.client)), testVersions });
  const { simulationId } = await bridgeStarted(one.client, id);
  const reply = { messages: ["Fine."], toolCalls: [], ended: false };
  const { message } = await one.client.simulations.bridge({ simulationId });
  const answered = { toMessage: message!.number, ...reply };
  const next = await Promise.all(
    [one, other].map(({ client }) => client.simulations.bridge({ simulationId, answered })),
  );
  expect(next.map((carried) => carried.message?.text)).toEqual(["Goodbye.", "Goodbye."]);
  await one.client.runs.cancel({ runId: id });
});

test("a tool call for a conversation whose process was killed is refused for now, with a time to come back", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-spec-"));
  const alone = await openProcesses(1, { settings: { SVC_TRUST_PROXY: "true" } });
  const [left] = alone.services as [TestServer];
  const settings = keySettings(left);
  const killed = await spawnService({ dataDir: folder, databases: alone.databases, settings });
  const held: Spoken[] = [];
  answer = (spoken) => {
    held.push(spoken);
    return new Promise<never>(() => undefined);
  };
  const { client } = killed;
  const testVersions = await versionsOf(client, [{ scenario: SCENARIO, behaviors: ["calls book"], mockTools: [MOCK] }]);
  const target = await chatConnection(client, agent.url);
  await startRun(client, { ...target, testVersions, caller: "scripted", iterations: 20, concurrency: 20 });
  const isOfKilled = ({ tools }: Spoken) => tools.url.startsWith(killed.url);
  const spoken = await until("the process plays", () => held.find(isOfKilled));
  expect((await useToolAt(left.url, spoken.simulationId, spoken.tools.token)).status).toBe(200);
  await killed.kill();
  const refused = await useToolAt(left.url, spoken.simulationId, spoken.tools.token);
  expect(refused.status).toBe(503);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  await alone.stop();
  rmSync(folder, { recursive: true });
});
