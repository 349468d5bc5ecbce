import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunEvent } from "@svc/contract";
import type { Client } from "@svc/sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRunStore, type RunStore } from "../../packages/server/src/runs/store/runs.ts";
import { openPostgres } from "../../packages/server/src/stores/postgres/postgres.ts";
import { type Answer, type ChatAgent, startChatAgent } from "../support/chat-agent.ts";
import { chatConnection, settled, simulationsOf, startRun, versionsOf } from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { openProcesses, type Processes } from "./processes.ts";
import { spawnService, type Spawned } from "./spawned.ts";
import { keySettings } from "../support/secret.ts";

const LEASE_MS = 1_500;
const LINES = "Caller says:\n- Hello.\n- Goodbye.";

let processes: Processes;
let one: TestServer;
let other: TestServer;
let agent: ChatAgent;
let answer: Answer;
let killed: Spawned | undefined;
beforeAll(async () => {
  agent = await startChatAgent((spoken, response) => (spoken.event === "start" ? {} : answer(spoken, response)));
  processes = await openProcesses(2, { runs: { leaseMs: LEASE_MS } });
  [one, other] = processes.services as [TestServer, TestServer];
});
afterAll(async () => {
  await killed?.kill();
  await processes.stop();
  agent.stop();
});

const says: Answer = async () => ({ message: "Fine." });
const waits: Answer = () => new Promise<never>(() => undefined);

async function startOne(client: Client, more: { iterations?: number; concurrency?: number } = {}) {
  const target = await chatConnection(client, agent.url);
  const testVersions = await versionsOf(client, [{ scenario: LINES, behaviors: ['says "fine"'] }]);
  return startRun(client, { ...target, testVersions, caller: "scripted", ...more });
}

async function eventsOf(client: Client, runId: string): Promise<RunEvent[]> {
  const all: RunEvent[] = [];
  for (let after = 0; ;) {
    const { events, next } = await client.runs.events({ runId, after });
    if (events.length === 0) return all;
    all.push(...events);
    after = next;
  }
}

/** Returns how often the run ended, and how often each of its simulations ended. */
function endings(events: readonly RunEvent[]) {
  const ended = events.flatMap((event) => {
    if (event.kind === "run") return event.status === "completed" ? ["run"] : [];
    return event.kind === "simulation" && event.status === "completed" ? [event.simulationId] : [];
  });
  return [...Map.groupBy(ended, (name) => name).values()].map(({ length }) => length);
}

test("the simulations of a killed process are played by others, and each of them and the run end once", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-spec-"));
  const { adminKey, projectKey } = one;
  killed = await spawnService({
    dataDir: folder,
    databases: processes.databases,
    settings: keySettings({ adminKey, projectKey }),
    runs: { leaseMs: LEASE_MS },
  });
  const portsOfTools: string[] = [];
  const killedOne = Promise.withResolvers<void>();
  answer = async ({ tools }) => {
    portsOfTools.push(new URL(tools.url).port);
    await killedOne.promise;
    return { message: "Fine." };
  };
  const isPlaying = () => portsOfTools.includes(new URL(killed!.url).port);
  // The other processes may be the first to lease all simulations of a run. Therefore the spec starts runs until this process plays
  // a simulation.
  let id = "";
  for (let runs = 1; !isPlaying(); runs++) {
    ({ id } = await startOne(killed.client, { iterations: 20, concurrency: 20 }));
    await until("every simulation is played", () => portsOfTools.length === 20 * runs);
  }
  await killed.kill();
  killedOne.resolve();
  await settled(one.client, id, 60_000);
  const simulations = await simulationsOf(other.client, id);
  expect(simulations.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => "completed"));
  expect(endings(await eventsOf(one.client, id))).toEqual(Array.from({ length: 21 }, () => 1));
  rmSync(folder, { recursive: true });
});

test("a process that starts leaves the conversations of another process alone", async () => {
  const release = Promise.withResolvers<object>();
  answer = () => release.promise;
  const before = agent.heard.length;
  const { id } = await startOne(one.client);
  await until("it is played", () => agent.heard.length > before + 1);
  const { adminKey, projectKey } = one;
  const settings = keySettings({ adminKey, projectKey });
  const third = await startServer({ databases: processes.databases, settings, runs: { leaseMs: LEASE_MS } });
  release.resolve({ message: "Fine." });
  await settled(third.client, id);
  expect(agent.heard.slice(before).filter(({ event }) => event === "start")).toHaveLength(1);
  await third.stop();
});

test("a run's concurrency holds for all processes together", async () => {
  let underWay = 0;
  const release = Promise.withResolvers<object>();
  answer = () => {
    underWay++;
    return release.promise;
  };
  const { id } = await startOne(one.client, { iterations: 20, concurrency: 3 });
  await until("three conversations are under way", () => underWay === 3);
  const quick = await startChatAgent(({ event }) => (event === "start" ? {} : { message: "Fine.", ended: true }));
  const passing = await startRun(other.client, {
    ...(await chatConnection(other.client, quick.url)),
    testVersions: await versionsOf(other.client, [{ scenario: LINES, behaviors: ['says "fine"'] }]),
    caller: "scripted",
  });
  await settled(other.client, passing.id);
  quick.stop();
  expect(underWay).toBe(3);
  release.resolve({ message: "Fine.", ended: true });
  await settled(other.client, id);
});

test("a cancellation at one process interrupts the conversations of all processes", async () => {
  answer = waits;
  const before = agent.heard.length;
  const { id } = await startOne(one.client, { iterations: 12, concurrency: 12 });
  await until(
    "all are played",
    () => agent.heard.slice(before).filter(({ event }) => event === "message").length === 12,
  );
  await other.client.runs.cancel({ runId: id });
  await until(
    "all are interrupted",
    () => agent.heard.slice(before).filter(({ event }) => event === "end").length === 12,
  );
});

test("a process that stops hands its simulations over at once", async () => {
  const { adminKey, projectKey } = one;
  const settings = keySettings({ adminKey, projectKey });
  const alone = await openProcesses(1, { settings, runs: { leaseMs: 600_000 } });
  const [leaving] = alone.services as [TestServer];
  answer = waits;
  const before = agent.heard.length;
  const { id } = await startOne(leaving.client);
  await until("it is played", () => agent.heard.length > before + 1);
  await leaving.close();
  answer = says;
  const next = await startServer({ databases: alone.databases, settings, runs: { leaseMs: 600_000 } });
  await settled(next.client, id);
  await next.stop();
  await alone.stop();
});

test("an attempt whose lease another process has taken changes nothing, and each simulation ends once", async () => {
  const alone = await openProcesses(1);
  const [service] = alone.services as [TestServer];
  answer = waits;
  const { id } = await startOne(service.client);
  await until("it is played", async () => (await service.client.runs.get({ runId: id })).run.status === "running");
  await service.close();
  const relational = await openPostgres(alone.databaseUrl);
  const [former, later] = [0, 600_000].map((leaseMs) => createRunStore(relational.db, () => undefined, leaseMs)) as [
    RunStore,
    RunStore,
  ];
  const run = await former.readRun(id);
  await former.requeueLapsed([]);
  const [lost] = await former.claim(run, 1);
  expect(await former.begin(lost!)).toBe(true);
  expect(await former.isHeld(lost!)).toBe(true);
  await until("the lease has lapsed", async () => {
    await later.requeueLapsed([]);
    return !(await former.isHeld(lost!));
  });
  const ending = { status: "completed", endingReason: "agent_ended", message: null, transcript: "{}" } as const;
  const end = (store: RunStore, simulation: typeof lost) =>
    store.finish(simulation!, { ...ending, turnCount: 0, traceId: "0".repeat(32) }, []);
  expect(await end(former, lost)).toBe(false);
  const [held] = await later.claim(run, 1);
  expect(held).toMatchObject({ id: lost!.id, attempt: lost!.attempt + 1 });
  expect(await later.begin(held!)).toBe(true);
  expect(await former.renew({ played: [lost!], gradedIds: [] })).toEqual(new Set());
  await former.requeueLapsed([]);
  expect(await end(former, lost)).toBe(false);
  expect(await end(later, held)).toBe(true);
  expect(await end(later, held)).toBe(false);
  expect(await former.leaseUngraded()).toEqual([]);
  await relational.close();
  await alone.stop();
});
