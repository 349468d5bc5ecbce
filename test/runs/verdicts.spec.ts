import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ChatAgent, startChatAgent } from "../support/chat-agent.ts";
import { fakeEndpoint, refuses } from "../support/language-model/fake-endpoint.ts";
import { chatConnection, type NewRun, played, startApiRun, startRun, versionsOf } from "../support/runs.ts";
import { startServer } from "../support/server.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";
import { until } from "../support/until.ts";

let server: SharedServer;
let agent: ChatAgent;
let target: { agentId: string; connectionId: string };

beforeAll(async () => {
  server = await shareServer();
  agent = await startChatAgent(({ event }) => (event === "start" ? {} : { message: "I am fine.", ended: true }));
  target = await chatConnection(server.client, agent.url);
});
afterAll(async () => {
  agent.stop();
  await server.stop();
});

const CHECKED = ['says "fine"', 'never says "pizza"'];
const JUDGED = ["Is polite.", "Is brief."];
const BROKEN = 'says "goodbye"';

/** Plays one test with these behaviors and returns its run and its simulation. */
async function playOne(behaviors: string[], more: Partial<NewRun> = {}) {
  const testVersions = await versionsOf(server.client, [{ scenario: "Caller says:\n- Hello.", behaviors }]);
  const { id } = await startRun(server.client, { ...target, testVersions, ...more });
  const { run, simulations } = await played(server, id);
  return { run, simulation: simulations[0]! };
}

describe("a simulation", () => {
  test("a simulation does not pass while one expected behavior is not graded, and the run's pass rate counts it", async () => {
    const { run, simulation } = await playOne([CHECKED[0]!, ...JUDGED]);
    expect(simulation).toMatchObject({ verdict: "not_graded", behaviorsGraded: 1, behaviorCount: 3 });
    expect(run).toMatchObject({
      allowUngraded: false,
      passedVerdicts: 0,
      notGradedVerdicts: 1,
      passRate: 0,
      decidedSimulations: 0,
      undecidedSimulations: 1,
      behaviorCount: 3,
      decidedBehaviors: 1,
      undecidedBehaviors: 2,
    });
  });

  test("a simulation passes when every expected behavior passed", async () => {
    const { run, simulation } = await playOne(CHECKED);
    expect(simulation).toMatchObject({ verdict: "passed", behaviorsGraded: 2, behaviorCount: 2 });
    expect(run).toMatchObject({ passRate: 1, decidedSimulations: 1, undecidedSimulations: 0, undecidedBehaviors: 0 });
  });

  test("a simulation fails for one failed behavior, even when others are not graded", async () => {
    const { simulation } = await playOne([BROKEN, ...JUDGED]);
    expect(simulation).toMatchObject({ verdict: "failed", behaviorsGraded: 1, behaviorCount: 3 });
  });

  test("a simulation passes on its decided behaviors when the run allows ungraded ones, and never on none", async () => {
    const some = await playOne([CHECKED[0]!, ...JUDGED], { allowUngraded: true });
    expect(some.simulation).toMatchObject({ verdict: "passed", behaviorsGraded: 1, behaviorCount: 3 });
    expect(some.run).toMatchObject({ allowUngraded: true, passRate: 1, decidedBehaviors: 1, undecidedBehaviors: 2 });
    const none = await playOne(JUDGED, { allowUngraded: true });
    expect(none.simulation).toMatchObject({ verdict: "not_graded", behaviorsGraded: 0 });
    expect((await playOne([BROKEN, ...JUDGED], { allowUngraded: true })).simulation.verdict).toBe("failed");
  });

  test("a simulation counts an inconclusive behavior as undecided", async () => {
    const body = JSON.stringify({ choices: [{ message: { role: "assistant", content: "I am fine." } }] });
    const talker = await startChatAgent((_, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(body);
      return null;
    });
    // The service cannot see the tool calls of an agent with OpenAI's format.
    const over = await chatConnection(server.client, talker.url, "openai");
    const testVersions = await versionsOf(server.client, [
      { scenario: "Caller says:\n- Hello.", behaviors: [CHECKED[0]!, "never calls refund"] },
      // Nor does the format let the agent end the conversation otherwise than with a tool.
      { scenario: "Caller says:\n- Hello.", behaviors: [CHECKED[0]!, "ends the call", "never ends the call"] },
    ]);
    const { id } = await startRun(server.client, { ...over, testVersions });
    const { run, simulations } = await played(server, id);
    talker.stop();
    const ends = simulations.flatMap(({ grades }) => grades).filter(({ criterion }) => /ends the call/.test(criterion));
    expect(ends.map(({ verdict }) => verdict)).toEqual(["inconclusive", "inconclusive"]);
    for (const { reason } of ends) expect(reason).toContain("would not show it");
    const simulation = simulations.find(({ behaviorCount }) => behaviorCount === 2)!;
    const behaviors = simulation.grades.filter(({ counts, decidedBy }) => counts && decidedBy !== "built_in");
    expect(behaviors.map(({ verdict }) => verdict)).toEqual(["passed", "inconclusive"]);
    expect(simulation).toMatchObject({ verdict: "inconclusive", behaviorsGraded: 1, behaviorCount: 2 });
    expect(run).toMatchObject({ passRate: 0, undecidedSimulations: 2, decidedBehaviors: 2, undecidedBehaviors: 3 });
  });

  test("started by `/api` with `allow_ungraded` passes partly graded, and the answer says so", async () => {
    const test_versions = await versionsOf(server.client, [
      { scenario: "Caller says:\n- Hello.", behaviors: [CHECKED[0]!, ...JUDGED] },
    ]);
    const started = await startApiRun(server, {
      test_versions,
      agent: target.agentId,
      connection: target.connectionId,
      allow_ungraded: true,
    });
    expect(started).toMatchObject({ allow_ungraded: true, decided_behaviors: 0, undecided_behaviors: 0 });
    const { run } = await played(server, started.id);
    expect(run).toMatchObject({ allowUngraded: true, passedVerdicts: 1 });
  });
});

describe("a grader that counts", () => {
  const shipped = async (name: string) => {
    const { graders } = await server.client.graders.list();
    return graders.find((grader) => grader.name === name)!.id;
  };

  test("a grader that counts cannot make ungraded behaviors green, neither shipped nor created", async () => {
    const graderId = await shipped("Unanswered turns");
    await server.client.graders.configure({ graderId, counts: true });
    const definition = { kind: "check", check: 'says "fine"' } as const;
    const { grader } = await server.client.graders.create({ name: "Says fine", definition });
    const { run, simulation } = await playOne(JUDGED);
    const allowed = await playOne(JUDGED, { allowUngraded: true });
    await server.client.graders.configure({ graderId, counts: false });
    await server.client.graders.archive({ graderId: grader.id });
    const verdicts = simulation.grades.filter(({ counts }) => counts).map(({ verdict }) => verdict);
    expect(verdicts.toSorted()).toEqual(["not_graded", "not_graded", "passed", "passed"]);
    expect(simulation).toMatchObject({ verdict: "not_graded", behaviorsGraded: 0, behaviorCount: 2 });
    expect(run).toMatchObject({ passedVerdicts: 0, passRate: 0 });
    expect(allowed.simulation.verdict).toBe("not_graded");
  });

  test("a grader that counts keeps the simulation from passing when nothing can decide it", async () => {
    const definition = { kind: "llm", criterion: "Stays calm." } as const;
    const { grader } = await server.client.graders.create({ name: "Stays calm", definition });
    const { simulation } = await playOne(CHECKED);
    const allowed = await playOne(CHECKED, { allowUngraded: true });
    await server.client.graders.archive({ graderId: grader.id });
    expect(simulation).toMatchObject({ verdict: "not_graded", behaviorsGraded: 2, behaviorCount: 2 });
    expect(allowed.simulation.verdict).toBe("passed");
  });

  test("a grader that counts leaves the verdict alone when it does not apply to the conversation", async () => {
    const graderId = await shipped("Duplicate tool call");
    await server.client.graders.configure({ graderId, counts: true });
    const { simulation } = await playOne(CHECKED);
    await server.client.graders.configure({ graderId, counts: false });
    expect(simulation).toMatchObject({ verdict: "passed" });
  });
});

test("an error of the judge is no decision, and it is apart from the pass rate", async () => {
  const endpoint = await fakeEndpoint(refuses(401));
  const { baseUrl, apiKey, model } = endpoint.settings;
  const judged = await startServer({
    settings: { SVC_LLM_BASE_URL: baseUrl, SVC_LLM_API_KEY: apiKey, SVC_LLM_MODEL: model },
  });
  const over = await chatConnection(judged.client, agent.url);
  const scenario = "Caller says:\n- Hello.";
  const testVersions = await versionsOf(judged.client, [
    { scenario, behaviors: [CHECKED[0]!, ...JUDGED] },
    { scenario, behaviors: CHECKED },
  ]);
  const { id } = await startRun(judged.client, { ...over, testVersions, caller: "scripted" });
  const { run, simulations } = await played(judged, id);
  await judged.stop();
  endpoint.stop();
  expect(simulations.find(({ behaviorCount }) => behaviorCount === 3)).toMatchObject({
    verdict: "errored",
    behaviorsGraded: 1,
  });
  expect(run).toMatchObject({ erroredVerdicts: 1, passedVerdicts: 1, passRate: 1, undecidedSimulations: 0 });
});

test("a simulation that is graded again follows the run's option", async () => {
  const { run, simulation } = await playOne([CHECKED[0]!, ...JUDGED], { allowUngraded: true });
  await server.client.simulations.regrade({ simulationId: simulation.id });
  const again = await until("it is graded again", async () => {
    const { simulation: read } = await server.client.simulations.get({ simulationId: simulation.id });
    return read.gradings === 2 && read;
  });
  expect(again).toMatchObject({ runId: run.id, verdict: "passed", behaviorsGraded: 1 });
});
