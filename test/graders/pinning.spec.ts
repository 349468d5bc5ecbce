import type { Grader } from "@svc/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ChatAgent, startChatAgent } from "../support/chat-agent.ts";
import { chatConnection, played, simulationsOf, startRun, versionsOf } from "../support/runs.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";
import { until } from "../support/until.ts";
import { freshName } from "../support/world.ts";

let server: SharedServer;
let agent: ChatAgent;
let target: { agentId: string; connectionId: string };
let held: Promise<void> = Promise.resolve();

beforeAll(async () => {
  server = await shareServer();
  agent = await startChatAgent(async ({ event }) => {
    await held;
    return event === "start" ? {} : { message: "I am fine.", ended: true };
  });
  target = await chatConnection(server.client, agent.url);
});
afterAll(async () => {
  agent.stop();
  await server.stop();
});

const startOne = async (behaviors = ['says "fine"']) => {
  const testVersions = await versionsOf(server.client, [{ scenario: "Caller says:\n- Hello.", behaviors }]);
  return startRun(server.client, { ...target, testVersions });
};
const simulationOf = async (runId: string) => (await played(server, runId)).simulations[0]!;

const create = async (check: string): Promise<Grader> =>
  (await server.client.graders.create({ name: freshName("grader"), definition: { kind: "check", check } })).grader;

test("an edit of a grader does not affect the run that plays, and a regrade takes the new version", async () => {
  const grader = await create('says "fine"');
  let release = () => {};
  held = new Promise((resolve) => (release = resolve));
  const run = await startOne();
  const { grader: edited } = await server.client.graders.edit({
    graderId: grader.id,
    expectedVersionId: grader.versionId,
    definition: { kind: "check", check: 'never says "fine"' },
  });
  await server.client.graders.configure({ graderId: grader.id, counts: false });
  release();

  const before = await simulationOf(run.id);
  const own = ({ grades }: typeof before) => grades.find(({ graderId }) => graderId === grader.id);
  expect(own(before)).toMatchObject({ graderVersionId: grader.versionId, verdict: "passed", counts: true });

  await server.client.simulations.regrade({ simulationId: before.id });
  const after = await until("it is graded again", async () => {
    const [simulation] = await simulationsOf(server.client, run.id);
    return simulation!.gradings === 2 && simulation;
  });
  expect(own(after)).toMatchObject({ graderVersionId: edited.versionId, verdict: "failed", counts: false });
  expect(after.verdict).toBe("passed");
  await server.client.graders.archive({ graderId: grader.id });
});

test("a grader that counts fails the simulation; a disabled or archived grader does not grade it", async () => {
  const grader = await create('never says "fine"');
  const failed = await simulationOf((await startOne()).id);
  expect(failed).toMatchObject({ verdict: "failed", behaviorsGraded: 1, behaviorCount: 1 });
  await server.client.graders.configure({ graderId: grader.id, counts: false });
  expect(await simulationOf((await startOne()).id)).toMatchObject({ verdict: "passed" });
  await server.client.graders.configure({ graderId: grader.id, counts: true, enabled: false });
  const off = await simulationOf((await startOne()).id);
  await server.client.graders.configure({ graderId: grader.id, enabled: true });
  await server.client.graders.archive({ graderId: grader.id });
  const archived = await simulationOf((await startOne()).id);
  for (const { grades, verdict } of [off, archived]) {
    expect(verdict).toBe("passed");
    expect(grades.map(({ graderId }) => graderId)).not.toContain(grader.id);
  }
});

test("a shipped grader that counts cannot pass a simulation whose expected behaviors no grader looks at", async () => {
  const { graders } = await server.client.graders.list();
  const idOf = (name: string) => graders.find((grader) => grader.name === name)!.id;
  await server.client.graders.configure({ graderId: idOf("Expected behaviors"), enabled: false });
  await server.client.graders.configure({ graderId: idOf("Unanswered turns"), counts: true });
  const simulation = await simulationOf((await startOne(['says "splendid"'])).id);
  expect(simulation).toMatchObject({ verdict: "not_graded", behaviorsGraded: 0 });
  const counting = simulation.grades.filter(({ counts }) => counts);
  expect(counting.map(({ graderName, verdict }) => [graderName, verdict])).toEqual([["Unanswered turns", "passed"]]);
});

test("a dry run warns of graders that decide nothing, and of behaviors that no grader looks at", async () => {
  const definition = { kind: "llm", criterion: "Stays calm." } as const;
  const { grader } = await server.client.graders.create({ name: freshName("grader"), definition });
  const testVersions = await versionsOf(server.client, [{ scenario: "Hello.", behaviors: ["Is polite."] }]);
  const { graders } = await server.client.graders.list();
  const expected = graders.find(({ definition: { kind } }) => kind === "expected_behaviors")!;
  await server.client.graders.configure({ graderId: expected.id, enabled: false });
  const answer = await server.client.runs.create({ ...target, testVersions, dryRun: "true" });
  if (!("plan" in answer)) throw new Error("a run was made");
  expect(answer.plan.warnings.join("\n")).toMatch(
    /1 grader decides nothing[^]*No grader looks at the expected behaviors/,
  );
  await server.client.graders.configure({ graderId: expected.id, enabled: true });
  await server.client.graders.archive({ graderId: grader.id });
});
