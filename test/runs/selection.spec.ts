import type { Run } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ChatAgent, startChatAgent } from "../support/chat-agent.ts";
import { chatConnection, played, settled, startRun } from "../support/runs.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";
import { aTest, freshName, unknownId } from "../support/world.ts";

let server: SharedServer;
let agent: ChatAgent;
let target: { agentId: string; connectionId: string };
/** The agent's answer to every message. */
let reply = "I am fine.";

beforeAll(async () => {
  server = await shareServer();
  agent = await startChatAgent(({ event }) => (event === "start" ? {} : { message: reply, ended: true }));
  target = await chatConnection(server.client, agent.url);
});
afterAll(async () => {
  agent.stop();
  await server.stop();
});

const FINE = { scenario: "Says: Hello.", expected_behaviors: ['says "fine"'] };
const BOOKED = { scenario: "Says: Hello.", expected_behaviors: ['says "booked"'] };

const create = (more: object) => server.client.tests.create(aTest({ ...more, name: freshName("selected") }));
const setTags = (testId: string, tags: string[]) => server.client.tests.setTags({ testId, tags });
const playsOf = async (run: Run) =>
  (await played(server, run.id)).simulations.map(({ testName, personaName }) => `${testName} · ${personaName}`).sort();

describe("tags", () => {
  test("a change of tags creates no version, and a test shows them in order, each once", async () => {
    const made = await create(FINE);
    expect(made.tags).toEqual([]);
    const tagged = await setTags(made.id, ["smoke", "fast", "smoke"]);
    expect(tagged).toEqual({ ...made, tags: ["fast", "smoke"] });
    expect((await server.client.tests.versions({ testId: made.id })).items).toHaveLength(1);
    const edited = await server.client.tests.edit({
      testId: made.id,
      expected_version_id: made.version_id,
      scenario: "Says: Good morning.",
    });
    expect(edited).toMatchObject({ version: 2, tags: ["fast", "smoke"] });
    expect((await setTags(made.id, [])).tags).toEqual([]);
  });

  test("lists of the project and of a suite contain only tests with the tag", async () => {
    const suite = freshName("suite");
    const { testSuite } = await server.client.suites.create({ name: suite });
    const inside = await create({ ...FINE, suite });
    const outside = await create(FINE);
    await create({ ...FINE, suite });
    for (const { id } of [inside, outside]) await setTags(id, ["listed"]);
    const { items } = await server.client.tests.list({ tag: "listed" });
    expect(items.map(({ id }) => id)).toEqual([outside.id, inside.id]);
    const { tests } = await server.client.tests.listOfSuite({ suiteId: testSuite.id, tag: "listed" });
    expect(tests).toMatchObject([{ id: inside.id, tags: ["listed"] }]);
  });

  test.each([["two words"], ["a,b"], [""], ["a".repeat(51)]])("the tag %j is refused", async (tag) => {
    const { id } = await create(FINE);
    await expect(setTags(id, [tag])).rejects.toMatchObject({ status: 422 });
  });

  test("a deleted test cannot be tagged", async () => {
    const { id } = await create(FINE);
    await server.client.tests.delete({ testId: id });
    await expect(setTags(id, ["late"])).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("a run of selected tests", () => {
  test("tags select the tests of the project or of a suite that have one of them", async () => {
    const suite = freshName("suite");
    const { testSuite } = await server.client.suites.create({ name: suite });
    const [inside, outside] = [await create({ ...FINE, suite }), await create(FINE)];
    await setTags(inside.id, ["night"]);
    await setTags(outside.id, ["day", "weekly"]);
    const ofProject = await startRun(server.client, { ...target, tags: ["night", "day"] });
    expect(await playsOf(ofProject)).toEqual([`${inside.name} · calm`, `${outside.name} · calm`].sort());
    const ofSuite = await startRun(server.client, { ...target, suiteId: testSuite.id, tags: ["night", "day"] });
    expect(ofSuite.suiteId).toBe(testSuite.id);
    expect(await playsOf(ofSuite)).toEqual([`${inside.name} · calm`]);
  });

  test("personas call in place of those that the tests name", async () => {
    const { version_id, name } = await create({ ...FINE, personas: ["calm"] });
    const run = await startRun(server.client, {
      ...target,
      testVersions: [version_id],
      personas: ["angry", "hurried"],
    });
    expect(await playsOf(run)).toEqual([`${name} · angry`, `${name} · hurried`]);
  });

  test("`notPassedIn` plays the current version of what did not pass in an earlier run", async () => {
    const [good, bad] = [await create(FINE), await create(BOOKED)];
    const first = await startRun(server.client, { ...target, testVersions: [good.version_id, bad.version_id] });
    await settled(server.client, first.id);
    const edited = await server.client.tests.edit({
      testId: bad.id,
      expected_version_id: bad.version_id,
      expected_behaviors: ['says "fine"'],
    });
    const testVersions = [good.version_id, edited.version_id];
    const second = await startRun(server.client, { ...target, testVersions, notPassedIn: first.id });
    const { run, simulations } = await played(server, second.id);
    expect(simulations).toMatchObject([{ testVersionId: edited.version_id, verdict: "passed" }]);
    await expect(startRun(server.client, { ...target, testVersions, notPassedIn: run.id })).rejects.toMatchObject({
      code: "unprocessable",
      message: expect.stringContaining("passed in the run"),
    });
  });

  test.each([
    ["tags that no test has", { tags: ["absent"] }, "svc tests tag"],
    ["tags beside test versions", { tags: ["a"], testVersions: ["tstv_1"] }, "without `suiteId` and `tags`"],
    ["a persona that does not exist", { personas: ["nemo"], tags: ["known"] }, 'no persona "nemo"'],
  ])("%s are refused with what to do", async (_, selection, text) => {
    await setTags((await create(FINE)).id, ["known"]);
    await expect(startRun(server.client, { ...target, ...selection })).rejects.toMatchObject({
      code: "unprocessable",
      message: expect.stringContaining(text),
    });
  });

  test("a run of another project, or none, has no failures to select", async () => {
    const { version_id } = await create(FINE);
    const wanted = { ...target, testVersions: [version_id], notPassedIn: unknownId("run") };
    await expect(startRun(server.client, wanted)).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("playing a run again", () => {
  test("the new run has the versions, personas, agent and options of the earlier one", async () => {
    const { id, version_id, name } = await create(FINE);
    const wanted = {
      ...target,
      testVersions: [version_id],
      personas: ["angry"],
      name: "nightly",
      iterations: 2,
      turnLimit: 8,
    };
    const first = await startRun(server.client, wanted);
    await settled(server.client, first.id);
    await server.client.tests.edit({ testId: id, expected_version_id: version_id, scenario: "Says: Hi." });
    const { run } = await server.client.runs.rerun({ runId: first.id });
    expect(run.id).not.toBe(first.id);
    const { agentId, connectionId, iterations, turnLimit, caller } = first;
    expect(run).toMatchObject({ agentId, connectionId, iterations, turnLimit, caller, name: "nightly" });
    expect(await playsOf(run)).toEqual([`${name} · angry`, `${name} · angry`]);
    expect((await played(server, run.id)).simulations.every((one) => one.testVersionId === version_id)).toBe(true);
  });

  test("`notPassed` plays only the pairs that did not pass, and is refused when everything passed", async () => {
    const [good, bad] = [await create(FINE), await create(BOOKED)];
    const testVersions = [good.version_id, bad.version_id];
    const first = await startRun(server.client, { ...target, testVersions });
    await settled(server.client, first.id);
    reply = "It is booked.";
    const { run } = await server.client.runs.rerun({ runId: first.id, notPassed: true });
    const { simulations } = await played(server, run.id);
    reply = "I am fine.";
    expect(simulations).toMatchObject([{ testId: bad.id, verdict: "passed" }]);
    await expect(server.client.runs.rerun({ runId: run.id, notPassed: true })).rejects.toMatchObject({
      code: "unprocessable",
      message: `Everything passed in the run ${run.id}. Play it again without \`notPassed\`.`,
    });
  });

  test("the same Idempotency-Key returns the same run", async () => {
    const { version_id } = await create(FINE);
    const first = await startRun(server.client, { ...target, testVersions: [version_id] });
    const again = () => server.client.runs.rerun({ runId: first.id, idempotencyKey: freshKey });
    const freshKey = freshName("key");
    expect((await again()).run.id).toBe((await again()).run.id);
  });
});
