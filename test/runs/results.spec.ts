import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ChatAgent, startChatAgent } from "../support/chat-agent.ts";
import { chatConnection, settled, startRun } from "../support/runs.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";
import { aTest, freshName, unknownId } from "../support/world.ts";

let server: SharedServer;
let agent: ChatAgent;
let target: { agentId: string; connectionId: string };
/** The numbers of the conversations in which the agent books nothing. */
let refusals = new Set<number>();
let conversations = 0;

const scenario = "Ana calls.\nSays: A room, please.\nSays: Goodbye.";

async function suiteOfTwo() {
  const { client } = server;
  const { testSuite } = await client.suites.create({ name: freshName("suite") });
  const suite = testSuite.id;
  const always = ["says /hello/i"];
  const calm = await client.tests.create(aTest({ suite, scenario, expected_behaviors: always }));
  const booked = await client.tests.create(
    aTest({ suite, scenario, expected_behaviors: ["says /is booked/", "never says /sorry/"] }),
  );
  return { suiteId: suite, suiteName: testSuite.name, calm, booked };
}

const play = async (run: object) => {
  const { id } = await startRun(server.client, { ...target, concurrency: 1, ...run } as never);
  return settled(server.client, id);
};

beforeAll(async () => {
  server = await shareServer();
  const refusing = new Set<string>();
  agent = await startChatAgent(({ event, simulationId, message }) => {
    if (event === "start") {
      if (refusals.has(conversations++)) refusing.add(simulationId);
      return { message: "Hello." };
    }
    if (/goodbye/i.test(message!)) return { message: "Goodbye.", ended: true };
    return { message: refusing.has(simulationId) ? "I am sorry." : "It is booked." };
  });
  target = await chatConnection(server.client, agent.url);
});
afterAll(async () => {
  agent.stop();
  await server.stop();
});

/** Plays a run in which the agent books nothing in the conversations with these numbers, counted from 0. */
const playWith = (refused: number[], run: object) => {
  refusals = new Set(refused.map((number) => conversations + number));
  return play(run);
};

describe("runs", () => {
  test("runs name their suite, agent and numbers, keep the suite's name, and are found by suite and test", async () => {
    const { client } = server;
    const { suiteId, suiteName, calm, booked } = await suiteOfTwo();
    const ofSuite = await playWith([], { suiteId });
    await client.suites.edit({ suiteId, name: freshName("renamed") });
    const ofVersion = await playWith([], { testVersions: [calm.version_id] });
    const { agent: named } = await client.agents.get({ agentId: target.agentId });
    const { run } = await client.runs.get({ runId: ofSuite.id });
    expect(run).toMatchObject({ suiteId, suiteName, agentName: named.name, testCount: 2, personaCount: 1 });
    expect(ofVersion).toMatchObject({ suiteId: null, suiteName: null, testCount: 1 });

    const listed = async (filter: object) => (await client.runs.list(filter)).runs.map(({ id }) => id);
    expect(await listed({ suiteId })).toEqual([ofSuite.id]);
    expect(await listed({ testId: calm.id })).toEqual([ofVersion.id, ofSuite.id]);
    expect(await listed({ testId: booked.id, agentId: target.agentId, status: "completed" })).toEqual([ofSuite.id]);
    expect(await listed({ testId: unknownId("tst") })).toEqual([]);
    expect(await listed({ suiteId: unknownId("ste") })).toEqual([]);
  });

  test("runs show their simulations with version numbers, by test, persona and status", async () => {
    const { client } = server;
    const { suiteId, calm } = await suiteOfTwo();
    const edited = await client.tests.edit({
      testId: calm.id,
      expected_version_id: calm.version_id,
      scenario: `${scenario}\nSays: Yes.`,
    });
    const { id: runId } = await playWith([], { suiteId });
    const { simulations } = await client.runs.simulations({ runId, testId: calm.id });
    expect(simulations).toMatchObject([{ testId: calm.id, testVersionId: edited.version_id, testVersion: 2 }]);
    const { personaId, id: simulationId } = simulations[0]!;
    const count = async (filter: object) => (await client.runs.simulations({ runId, ...filter })).simulations.length;
    expect([await count({ personaId }), await count({ personaId: unknownId("prs") })]).toEqual([2, 0]);
    expect([await count({ status: "completed" }), await count({ status: "queued" })]).toEqual([2, 0]);
    expect((await client.simulations.get({ simulationId })).simulation.testVersion).toBe(2);
  });

  test("runs are shown as a grid, the worst test first", async () => {
    const { client } = server;
    const { suiteId, calm, booked } = await suiteOfTwo();
    const { id: runId } = await playWith([0, 1], { suiteId, iterations: 4 });
    const { grid } = await client.runs.grid({ runId });
    expect(grid.personas).toHaveLength(1);
    expect(grid.tests.map(({ testId }) => testId)).toEqual([booked.id, calm.id]);
    const [worst, best] = grid.tests;
    expect(best).toMatchObject({ played: 4, passed: 4, pending: 0, passRate: 1, passRateHigh: 1, mixed: false });
    expect(worst).toMatchObject({ testName: booked.name, testVersion: 1, played: 4, pending: 0, undecided: 0 });
    expect(worst!.passed + worst!.failed).toBe(4);
    expect(worst!.mixed).toBe(worst!.passed > 0);
    expect(worst!.passRateLow).toBeLessThanOrEqual(worst!.passRate!);
    expect(worst!.simulations.map(({ iteration }) => iteration)).toEqual([1, 2, 3, 4]);
    const { simulations } = await client.runs.simulations({ runId, testId: booked.id });
    const verdicts = new Map(simulations.map(({ id, verdict }) => [id, verdict]));
    for (const { id, verdict } of worst!.simulations) expect(verdict).toBe(verdicts.get(id));
  });

  test("runs show their failures by behavior, with one quote each", async () => {
    const { client } = server;
    const { booked } = await suiteOfTwo();
    const { id: runId } = await playWith([0, 2], { testVersions: [booked.version_id], iterations: 3 });
    const { behaviors, total } = await client.runs.behaviors({ runId });
    expect(total).toBe(behaviors.length);
    const ofTest = behaviors.filter(({ counts, decidedBy }) => counts && decidedBy === "check");
    expect(ofTest.map(({ criterion, passed, failed }) => [criterion, passed, failed])).toEqual([
      ["says /is booked/", 1, 2],
      ["never says /sorry/", 1, 2],
    ]);
    const [, never] = ofTest;
    expect(never).toMatchObject({
      testId: booked.id,
      testVersion: 1,
      testName: booked.name,
      decidedBy: "check",
      example: { verdict: "failed", evidence: { quote: expect.stringMatching(/sorry/) } },
    });
    const { simulation } = await client.simulations.get({ simulationId: never!.example!.simulationId });
    expect(simulation).toMatchObject({ runId, verdict: "failed", iteration: never!.example!.iteration });
    const failing = await client.runs.behaviors({ runId, verdict: "failed", testId: booked.id });
    expect(failing.behaviors.map(({ criterion }) => criterion).slice(0, 2)).toEqual([
      "says /is booked/",
      "never says /sorry/",
    ]);
    expect(failing.behaviors.every(({ failed }) => failed > 0)).toBe(true);
    expect((await client.runs.behaviors({ runId, testId: unknownId("tst") })).total).toBe(0);

    await client.simulations.veto({ simulationId: simulation.id, reason: "The calendar is empty." });
    const { behaviors: vetoed } = await client.runs.behaviors({ runId, verdict: "failed" });
    expect(vetoed.find(({ decidedBy }) => decidedBy === "veto")).toMatchObject({
      failed: 1,
      example: { reason: "The calendar is empty.", evidence: null },
    });
  });
});

describe("results of tests", () => {
  test("results of tests are of the newest version and agent, and say which test is flaky", async () => {
    const { client } = server;
    const { suiteId, calm, booked } = await suiteOfTwo();
    const of = async (filter: object) => (await client.runs.resultsOfTests({ suiteId, ...filter })).results;
    expect(await of({})).toMatchObject([
      { testId: booked.id, testVersion: null, agentId: null, flaky: false, played: 0, runs: [] },
      { testId: calm.id, testVersion: null, agentName: null, flaky: false, played: 0, runs: [] },
    ]);
    const steady = await playWith([0], { testVersions: [booked.version_id] });
    expect(await of({ testId: booked.id })).toMatchObject([{ flaky: false, failed: 1, runs: [{ runId: steady.id }] }]);
    const changing = await playWith([1], { testVersions: [booked.version_id], iterations: 2, name: "changing" });
    const { agentName } = changing;
    expect(await of({})).toMatchObject([
      {
        testId: booked.id,
        testVersionId: booked.version_id,
        testVersion: 1,
        agentId: target.agentId,
        agentName,
        flaky: true,
        played: 3,
        passed: 1,
        failed: 2,
        runs: [
          { runId: changing.id, runName: "changing", played: 2, passed: 1, failed: 1 },
          { runId: steady.id, played: 1, failed: 1 },
        ],
      },
      { testId: calm.id, runs: [] },
    ]);

    const other = await chatConnection(client, agent.url);
    await playWith([], { ...other, testVersions: [booked.version_id] });
    expect(await of({ testId: booked.id })).toMatchObject([{ agentId: other.agentId, flaky: false, played: 1 }]);
    expect(await of({ testId: booked.id, agentId: target.agentId })).toMatchObject([{ flaky: true, played: 3 }]);
    const edited = await client.tests.edit({
      testId: booked.id,
      expected_version_id: booked.version_id,
      expected_behaviors: ["says /is booked/"],
    });
    await playWith([], { ...other, testVersions: [edited.version_id] });
    expect(await of({ testId: booked.id })).toMatchObject([{ testVersion: 2, played: 1, passed: 1 }]);
    const { passRates } = await client.runs.passRatesOfTest({ testId: booked.id, pageSize: 1 });
    expect(passRates).toMatchObject([{ agentId: other.agentId, testVersions: [2], passed: 1 }]);
    await expect(of({ testId: unknownId("tst") })).rejects.toMatchObject({ code: "not_found" });
    await expect(of({ agentId: unknownId("agt") })).rejects.toMatchObject({ code: "not_found" });
  });
});
