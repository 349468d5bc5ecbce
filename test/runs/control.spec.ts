import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ChatAgent, type Spoken, startChatAgent } from "../support/chat-agent.ts";
import {
  chatConnection,
  played,
  type Scenario,
  simulationsOf,
  startApiRun,
  startRun,
  versionsOf,
} from "../support/runs.ts";
import { needsStoreFile } from "../support/engine.ts";
import { whileHeld } from "../support/held-store.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

let server: TestServer;
let agent: ChatAgent;
let target: { agentId: string; connectionId: string };
let answer: (spoken: Spoken) => Promise<object>;

beforeAll(async () => {
  server = await startServer();
  agent = await startChatAgent((spoken) => answer(spoken));
  target = await chatConnection(server.client, agent.url);
});
afterAll(async () => {
  agent.stop();
  await server.stop();
});

const SHORT: Scenario = { scenario: "Caller says:\n- Hello.", behaviors: ['says "fine"'] };
const politely = async ({ event }: Spoken) => (event === "start" ? {} : { message: "I am fine, bye." });
const never = () => new Promise<never>(() => {});

describe("starting a run", () => {
  test("a dry run answers the plan and creates nothing", async () => {
    const [version] = await versionsOf(server.client, [
      { ...SHORT, behaviors: ['says "fine"', "Is polite."], personas: ["calm", "angry"] },
    ]);
    const before = (await server.client.runs.list()).runs.length;
    const wanted = { ...target, testVersions: [version!], iterations: 2, dryRun: "true" as const };
    expect(await server.client.runs.create(wanted)).toEqual({
      plan: {
        simulationCount: 4,
        caller: "scripted",
        concurrency: 10,
        modelCallsAtMost: 0,
        estimatedSeconds: null,
        estimatedJudgeCost: 0,
        phoneCalls: null,
        incomingCalls: null,
        tests: [
          expect.objectContaining({
            personas: ["calm", "angry"],
            behaviors: 2,
            decidedByCheck: 1,
            decidedByJudge: 0,
            undecided: 1,
            readings: [
              expect.objectContaining({
                behavior: 'says "fine"',
                decidedBy: "check",
                reading: 'The agent says "fine".',
              }),
              expect.objectContaining({ behavior: "Is polite.", decidedBy: "nobody", form: null }),
            ],
          }),
        ],
        warnings: [
          expect.stringMatching(/1 behavior is not graded\. Set a language model with `svc language-model set`/),
        ],
      },
    });
    expect((await server.client.runs.list()).runs).toHaveLength(before);
  });

  test("the same idempotency key and body answer the same run, even for concurrent requests", async () => {
    answer = politely;
    const testVersions = await versionsOf(server.client, [SHORT]);
    const wanted = { ...target, testVersions, idempotencyKey: "order-1" };
    const runs = await Promise.all(Array.from({ length: 16 }, () => startRun(server.client, wanted)));
    expect(new Set(runs.map(({ id }) => id)).size).toBe(1);
    await expect(startRun(server.client, { ...wanted, iterations: 2 })).rejects.toMatchObject({
      code: "conflict",
      status: 409,
    });
    const other = await startRun(server.client, { ...target, testVersions });
    expect(other.id).not.toBe(runs[0]!.id);
  });

  test("the same idempotency key answers its run even after the agent was archived", async () => {
    answer = politely;
    const own = await chatConnection(server.client, agent.url);
    const testVersions = await versionsOf(server.client, [SHORT]);
    const wanted = { ...own, testVersions, idempotencyKey: "the answer was lost" };
    const run = await startRun(server.client, wanted);
    await server.client.agents.archive({ agentId: own.agentId });
    expect((await startRun(server.client, wanted)).id).toBe(run.id);
    await expect(startRun(server.client, { ...wanted, iterations: 2 })).rejects.toMatchObject({ code: "conflict" });
  });

  test("starting a run plays a whole suite, each test in the version of the run's start", async () => {
    answer = politely;
    const { testSuite } = await server.client.suites.create({ name: "Whole" });
    const make = (name: string) =>
      server.client.tests.create({
        name,
        scenario: SHORT.scenario,
        expected_behaviors: SHORT.behaviors,
        suite: testSuite.id,
      });
    const [first] = [await make("one"), await make("two")];
    const run = await startRun(server.client, { ...target, suiteId: testSuite.id });
    await server.client.tests.edit({
      testId: first.id,
      expected_version_id: first.version_id,
      expected_behaviors: ['says "something else"'],
    });
    const { simulations } = await played(server, run.id);
    expect(simulations.map(({ testVersionId, verdict }) => [testVersionId === first.version_id, verdict])).toEqual(
      expect.arrayContaining([
        [true, "passed"],
        [false, "passed"],
      ]),
    );
  });

  test.each<[string, (ids: { agentId: string; connectionId: string; version: string }) => object, string]>([
    ["neither suite nor versions", ({ version: _, ...ids }) => ids, "unprocessable"],
    [
      "an unknown version",
      ({ version: _, ...ids }) => ({ ...ids, testVersions: ["tstv_00000000000000000000000000"] }),
      "not_found",
    ],
    [
      "an unknown agent",
      ({ version, connectionId }) => ({ agentId: "agt_x", connectionId, testVersions: [version] }),
      "not_found",
    ],
    [
      "the caller `model` without a language model",
      ({ version, ...ids }) => ({ ...ids, testVersions: [version], caller: "model" }),
      "unprocessable",
    ],
    [
      "one iteration too many",
      ({ version, ...ids }) => ({ ...ids, testVersions: [version], iterations: 21 }),
      "unprocessable",
    ],
  ])("starting a run is refused with %s", async (_, change, code) => {
    const [version] = await versionsOf(server.client, [SHORT]);
    const wanted = change({ ...target, version: version! });
    await expect(server.client.runs.create(wanted as never)).rejects.toMatchObject({ code });
  });

  test("starting a run answers /api in snake_case", async () => {
    answer = politely;
    const test_versions = await versionsOf(server.client, [SHORT]);
    const run = await startApiRun(server, {
      test_versions,
      agent: target.agentId,
      connection: target.connectionId,
    });
    expect(run).toMatchObject({ simulation_count: 1, agent_id: target.agentId, turn_limit: 60 });
  });
});

describe("a run that is under way", () => {
  test("a run that is under way is canceled with its simulations, and no simulation ends twice", async () => {
    answer = never;
    const testVersions = await versionsOf(server.client, [SHORT]);
    const run = await startRun(server.client, { ...target, testVersions, iterations: 6, concurrency: 2 });
    await until(
      "two are playing",
      async () => (await server.client.runs.get({ runId: run.id })).run.runningCount === 2,
    );
    const canceled = await server.client.runs.cancel({ runId: run.id });
    expect(canceled.run).toMatchObject({
      status: "canceled",
      stopReason: "canceled_by_user",
      canceledCount: 6,
      gradingSettled: true,
    });
    expect((await server.client.runs.cancel({ runId: run.id })).run.endedAt).toBe(canceled.run.endedAt);
    const { events } = await server.client.runs.events({ runId: run.id });
    const ended = events.filter((event) => event.kind === "simulation" && event.status === "canceled");
    expect(ended).toHaveLength(6);
  });

  test("a run that is under way plays no more simulations at once than its concurrency", async () => {
    let now = 0;
    let most = 0;
    const three = Promise.withResolvers<void>();
    answer = async (spoken) => {
      if (spoken.event === "start") return {};
      most = Math.max(most, ++now);
      if (now === 3) three.resolve();
      await three.promise;
      await delay(30);
      now--;
      return { message: "fine", ended: true };
    };
    const testVersions = await versionsOf(server.client, [SHORT]);
    const run = await startRun(server.client, { ...target, testVersions, iterations: 12, concurrency: 3 });
    const { run: done } = await played(server, run.id);
    expect([done.passedVerdicts, most]).toEqual([12, 3]);
  });

  test("a run that is under way is canceled when its agent is archived", async () => {
    answer = never;
    const own = await chatConnection(server.client, agent.url);
    const testVersions = await versionsOf(server.client, [SHORT]);
    const run = await startRun(server.client, { ...own, testVersions });
    const { canceledRunCount } = await server.client.agents.archive({ agentId: own.agentId });
    expect(canceledRunCount).toBe(1);
    expect((await server.client.runs.get({ runId: run.id })).run.status).toBe("canceled");
    await expect(startRun(server.client, { ...own, testVersions })).rejects.toMatchObject({
      code: "parent_agent_archived",
    });
  });
});

test("a simulation whose ending could not be stored is played again", async (context) => {
  needsStoreFile(context);
  const held = Promise.withResolvers<void>();
  answer = async ({ event }) => (event === "start" ? {} : held.promise.then(() => ({ message: "I am fine, bye." })));
  const testVersions = await versionsOf(server.client, [SHORT]);
  const run = await startRun(server.client, { ...target, testVersions });
  await until("it is playing", async () => (await server.client.runs.get({ runId: run.id })).run.runningCount === 1);
  const ends = () => agent.heard.filter(({ event }) => event === "end").length;
  const before = ends();
  await whileHeld(server.dataDir, async () => {
    held.resolve();
    await until("it has ended", () => ends() > before);
    await delay(1_500); // the store gives up waiting for the lock during this time
  });
  const { run: done, simulations } = await played(server, run.id);
  expect(done).toMatchObject({ status: "completed", passedVerdicts: 1 });
  expect(simulations[0]).toMatchObject({ attempt: 2, verdict: "passed" });
});

describe("a simulation that has ended", () => {
  async function one() {
    answer = politely;
    const testVersions = await versionsOf(server.client, [SHORT]);
    const run = await startRun(server.client, { ...target, testVersions });
    return (await played(server, run.id)).simulations[0]!;
  }

  test("a simulation that has ended fails after a veto, even when it is graded again", async () => {
    const { id, runId, verdict } = await one();
    expect(verdict).toBe("passed");
    const { simulation } = await server.client.simulations.veto({
      simulationId: id,
      reason: "No booking in the calendar.",
    });
    expect(simulation).toMatchObject({
      verdict: "failed",
      grades: [{ decidedBy: "veto", reason: "No booking in the calendar." }, {}, {}, {}, {}, {}, {}, {}, {}, {}].slice(
        0,
        simulation.grades.length,
      ),
    });
    await server.client.simulations.regrade({ simulationId: id });
    await until("it is graded again", async () => (await simulationsOf(server.client, runId))[0]!.gradings === 2);
    expect((await simulationsOf(server.client, runId))[0]!.verdict).toBe("failed");
  });

  test("a simulation that has ended keeps its verdict when it is graded again", async () => {
    const { id, runId } = await one();
    await server.client.simulations.regrade({ simulationId: id });
    const again = await until("it is graded again", async () => {
      const [simulation] = await simulationsOf(server.client, runId);
      return simulation!.gradings === 2 && simulation;
    });
    expect(again).toMatchObject({ verdict: "passed", grading: "settled" });
  });
});
