import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPostgres } from "../../packages/server/src/stores/postgres/postgres.ts";
import type { Relational } from "../../packages/server/src/stores/relational.ts";
import { drawsOf } from "../../torture/random.ts";
import { type ChatAgent, startChatAgent } from "../support/chat-agent.ts";
import { FAST } from "../support/monitoring-pace.ts";
import { openFakePlatformA, type FakePlatformA } from "../support/platform-a/fake.ts";
import { chatConnection, versionsOf } from "../support/runs.ts";
import { keySettings, keysIn } from "../support/secret.ts";
import { until } from "../support/until.ts";
import { type Engines, startEngines } from "./engines.ts";
import { ingesting } from "./ingesting.ts";
import { editing, importing, type Load, revoking, running } from "./loads.ts";
import { type Processes, startProcesses } from "./processes.ts";

const PROCESSES = 3;
const SECONDS = Number(process.env.CLUSTER_SECONDS ?? 300);
const SEED = process.env.SPEC_SEED ?? String(Date.now());
const AWAY_MS = 3_000;
const AGENT_IDS = ["agent_a", "agent_b", "agent_c"];

const draws = drawsOf(SEED);
const keys = keySettings();
let engines: Engines;
let relational: Relational;
let fake: FakePlatformA;
let agent: ChatAgent;
let processes: Processes;
let loads: { name: string; load: Load; everyMs: number }[];

beforeAll(async () => {
  fake = await openFakePlatformA();
  for (const id of AGENT_IDS) fake.addAgent(id, `Desk ${id}`);
  agent = await startChatAgent(async ({ event, turn }) => {
    if (event === "start") return {};
    await delay(200);
    return { message: "Fine.", ended: turn > 1 };
  });
  engines = await startEngines();
  processes = await startProcesses(PROCESSES, draws.named("processes"), {
    databases: engines.databases,
    settings: { ...keys, SVC_PLATFORM_A_BASE_URL: fake.url, SVC_TRUST_PROXY: "true" },
    pace: { ...FAST, pollMs: 500, leaseMs: 2_000 },
    runs: { leaseMs: 2_000 },
  });
  relational = await openPostgres(engines.databaseUrl);
});
afterAll(async () => {
  await processes?.stop();
  await relational?.close();
  await engines?.remove();
  agent?.stop();
  await fake?.close();
});

test("three processes on the same databases lose nothing, end nothing twice and accept no revoked key, while they are killed and the databases restart", async () => {
  const client = processes.client();
  await client.monitoring.savePlatformA({ api_key: fake.apiKey, agents: AGENT_IDS.map((id) => ({ id })) });
  const run = {
    ...(await chatConnection(client, agent.url)),
    testVersions: await versionsOf(client, [
      { scenario: "Caller says:\n- Hello.\n- I need a room.\n- Goodbye.", behaviors: ['says "fine"'] },
    ]),
    caller: "scripted",
    iterations: 4,
    concurrency: 4,
  };
  loads = [
    { name: "a test is lost", load: await editing(processes, keysIn(keys).projectKey), everyMs: 100 },
    { name: "a run ended twice", load: running(processes, keysIn(keys).projectKey, run), everyMs: 1_000 },
    {
      name: "a call is imported twice",
      load: importing(processes, fake, AGENT_IDS, relational.db),
      everyMs: 1_000,
    },
    { name: "a revoked key is accepted", load: revoking(processes, keysIn(keys).adminKey), everyMs: 50 },
    {
      name: "a call has a span more than was sent",
      load: ingesting(processes, keysIn(keys).projectKey, draws.named("spans")),
      everyMs: 100,
    },
  ];

  const endMs = Date.now() + SECONDS * 1_000;
  const isOver = () => Date.now() >= endMs;
  const working = loads.map(async ({ load, everyMs }) => {
    while (!isOver()) {
      await load.round();
      await delay(everyMs);
    }
  });
  await Promise.all([...working, kill(isOver), restartEngines()]);
  await until("all processes answer", async () => {
    const replies = await Promise.all(
      processes.urls().map((url) => processes.askAt(url, { method: "GET", path: "/health" })),
    );
    return replies.length === PROCESSES && replies.every((reply) => reply?.status === 200);
  });

  const restarted = engines.engines.map(({ name }) => name).join(", ");
  const facts: Record<string, unknown> = { seed: SEED, seconds: SECONDS, kills: processes.kills(), restarted };
  for (const { load } of loads) Object.assign(facts, await load.verify());
  const statuses = Object.fromEntries(processes.statuses);
  console.log({ ...facts, "processes that ended by themselves": processes.deaths(), statuses });
  expect(processes.deaths()).toBe(0);
  expect(statuses).toHaveProperty("503");
  expect(Object.keys(statuses).filter((status) => status.startsWith("5"))).toEqual(["503"]);
});

test("these specs find a planted fault of each kind", async () => {
  for (const { name, load } of loads) {
    await load.plant(relational.db);
    await expect(load.verify(), name).rejects.toMatchObject({ name: "AssertionError" });
  }
});

/** Kills a process every few seconds. */
async function kill(isOver: () => boolean): Promise<void> {
  const pauses = draws.named("kills");
  while (!isOver()) {
    await delay(pauses.whole(2_000, 5_000));
    await processes.killOne();
  }
}

/** Stops and starts each database once, at different times. */
async function restartEngines(): Promise<void> {
  for (const { stop, start } of engines.engines) {
    await delay((SECONDS * 1_000) / (engines.engines.length + 1));
    await stop();
    await delay(AWAY_MS);
    await start();
  }
}
