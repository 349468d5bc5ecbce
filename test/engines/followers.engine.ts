import pg from "pg";
import type { Client } from "@svc/sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LISTENER_NAME } from "../../packages/server/src/stores/postgres/postgres-notices.ts";
import { type ChatAgent, type Reply, startChatAgent } from "../support/chat-agent.ts";
import { callBefore } from "../support/monitoring.ts";
import { FAST } from "../support/monitoring-pace.ts";
import { openFakePlatformA, type FakePlatformA } from "../support/platform-a/fake.ts";
import { conversation, gradesOf, sendSpans } from "../support/production.ts";
import { chatConnection, followed, startRun, versionsOf } from "../support/runs.ts";
import { type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { openProcesses, type Processes } from "./processes.ts";

let fake: FakePlatformA;
let agent: ChatAgent;
let processes: Processes;
let one: TestServer;
let other: TestServer;
let answer: () => Promise<Reply>;
beforeAll(async () => {
  fake = await openFakePlatformA();
  fake.addAgent("agent_0", "Front desk");
  agent = await startChatAgent(({ event }) => (event === "start" ? {} : answer()));
  processes = await openProcesses(2, {
    settings: { SVC_PLATFORM_A_BASE_URL: fake.url },
    pace: FAST,
    productionPace: { everyMs: 100 },
    changeLimits: { paceMs: 10, heartbeatMs: 600_000 },
  });
  [one, other] = processes.services as [TestServer, TestServer];
});
afterAll(async () => {
  await processes.stop();
  agent.stop();
  await fake.close();
});

/** Reads a stream of events until `is` accepts its text. */
async function readUntil(path: string, is: (text: string) => boolean, opened: () => Promise<unknown>): Promise<string> {
  const gone = new AbortController();
  const response = await fetch(`${other.url}${path}`, {
    headers: { authorization: `Bearer ${other.projectKey}` },
    signal: gone.signal,
  });
  let text = "";
  let isOpened: Promise<unknown> | undefined;
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    isOpened ??= opened();
    if (is(text)) break;
  }
  gone.abort();
  await isOpened;
  return text;
}

async function startHeld(client: Client) {
  const release = Promise.withResolvers<Reply>();
  answer = () => release.promise;
  const before = agent.heard.length;
  const run = await startRun(client, {
    ...(await chatConnection(client, agent.url)),
    testVersions: await versionsOf(client, [{ scenario: "Caller says:\n- Hello.", behaviors: ['says "fine"'] }]),
    caller: "scripted",
  });
  await until("it is played", () => agent.heard.length > before + 1);
  return { runId: run.id, release: () => release.resolve({ message: "Fine.", ended: true }) };
}

async function breakListeners(): Promise<void> {
  const client = new pg.Client({ connectionString: processes.databaseUrl });
  await client.connect();
  const { rowCount } = await client.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1",
    [LISTENER_NAME],
  );
  expect(rowCount).toBeGreaterThan(1);
  await client.end();
}

test("a follower at one process sees the end of a run that another process plays", async () => {
  const { runId, release } = await startHeld(one.client);
  const following = followed(other.client, runId);
  release();
  const events = await following;
  expect(events.map((event) => event.kind === "run" && event.status)).toContain("completed");
});

test("a process that follows changes misses none while its LISTEN connection is lost", async () => {
  const { runId, release } = await startHeld(one.client);
  const following = followed(other.client, runId);
  await breakListeners();
  release();
  const numbers = (await following).map(({ seq }) => seq);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
});

test("a stream of a project's changes shows the imports of all processes", async () => {
  const text = await readUntil(
    "/v1/changes",
    (read) => read.includes("event: imports"),
    async () => {
      fake.addCalls([callBefore(5)]);
      await one.client.monitoring.savePlatformA({ api_key: fake.apiKey, agents: [{ id: "agent_0" }] });
    },
  );
  expect(text).toContain("event: ready");
});

test("production conversations are graded once by all processes", async () => {
  await one.client.monitoring.remove({ platform: "platform_a" });
  const { grader } = await one.client.graders.create({
    name: "No promise",
    definition: { kind: "check", check: 'never says "guarantee"' },
    scope: "production",
  });
  await sendSpans(one, one.client, conversation(1, "I guarantee it."));
  await sendSpans(other, other.client, conversation(2, "Perhaps."));
  for (const number of [1, 2]) {
    await until("the conversation is graded", async () => (await gradesOf(one.client, number)).length > 0);
    expect(await gradesOf(other.client, number)).toMatchObject([{ graderId: grader.id }]);
  }
});
