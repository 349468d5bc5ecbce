import { pages } from "@svc/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ChatAgent, startChatAgent } from "../../support/chat-agent.ts";
import { join } from "../../support/people.ts";
import { chatConnection, settled } from "../../support/runs.ts";
import { newScheduleOf, runsOf, scheduleOf } from "../../support/schedules.ts";
import { shareServer, type SharedServer } from "../../support/shared-server.ts";
import { aTest, freshName } from "../../support/world.ts";

const NEVER_SOON = "0 0 1 1 *";
let server: SharedServer;
let agent: ChatAgent;
let words: (scenario: string) => string;
beforeAll(async () => {
  server = await shareServer();
  agent = await startChatAgent(({ event, message = "" }) =>
    event === "start" ? {} : { message: words(message), ended: true },
  );
});
afterAll(async () => {
  agent.stop();
  await server.stop();
});

/** Creates a schedule of tests that pass when the agent says "fine". */
async function scheduleOfTests(names: readonly string[], more: { iterations?: number; require?: string } = {}) {
  const tests = [];
  for (const name of names)
    tests.push(
      await server.client.tests.create(
        aTest({ scenario: `Caller says: ${name}.`, expected_behaviors: ['says "fine"'], name: freshName(name) }),
      ),
    );
  const target = await chatConnection(server.client, agent.url);
  const testIds = tests.map(({ id }) => id);
  const wanted = { name: freshName("schedule"), cron: NEVER_SOON, testIds, ...target, ...more };
  return (await server.client.schedules.create({ ...wanted, caller: "scripted" })).schedule;
}

async function runNow(scheduleId: string): Promise<string> {
  const { run } = await server.client.schedules.run({ scheduleId });
  await settled(server.client, run.id);
  return run.id;
}

describe("a schedule", () => {
  test("a schedule is created, read, edited, listed and deleted, and its runs stay", async () => {
    words = () => "Fine.";
    const made = await newScheduleOf(server.client, {
      cron: " 0  6 * * 1-5 ",
      timeZone: "Europe/Berlin",
      iterations: 2,
      require: "1/2",
      overlap: "queue",
      maxCost: undefined,
      url: agent.url,
    });
    expect(made).toMatchObject({
      cron: "0  6 * * 1-5",
      words: "At 06:00 from Monday to Friday",
      paused: false,
      waiting: false,
      iterations: 2,
      concurrency: 10,
      require: "1/2",
      overlap: "queue",
      missedCount: 0,
      problem: null,
      lastRuns: [],
      revision: 1,
    });
    expect(made.nextTimes).toHaveLength(5);
    expect(made.createdBy).toMatchObject({ kind: "key" });
    const scheduleId = made.id;
    const name = freshName("renamed");
    const { schedule } = await server.client.schedules.edit({ scheduleId, name, require: null, paused: true });
    expect(schedule).toEqual({
      ...made,
      name,
      require: null,
      paused: true,
      nextTimes: [],
      revision: 2,
      updatedAt: schedule.updatedAt,
    });
    expect(await scheduleOf(server.client, scheduleId)).toEqual(schedule);
    expect((await server.client.schedules.list({ pageSize: 200 })).schedules).toContainEqual(schedule);
    const runId = await runNow(scheduleId);
    await server.client.schedules.delete({ scheduleId });
    await expect(server.client.schedules.get({ scheduleId })).rejects.toMatchObject({ status: 404 });
    await expect(server.client.schedules.run({ scheduleId })).rejects.toMatchObject({ status: 404 });
    const { run } = await server.client.runs.get({ runId });
    expect(run).toMatchObject({ scheduleId, scheduleName: null, scheduledFor: null });
  });

  test("a schedule is refused for what a run would refuse, for a taken name and for a stale edit", async () => {
    const made = await newScheduleOf(server.client, { cron: NEVER_SOON });
    const { testIds, agentId, connectionId } = made;
    const wanted = { name: freshName("schedule"), cron: NEVER_SOON, agentId, connectionId };
    const suiteId = (await server.client.suites.create({ name: freshName("suite") })).testSuite.id;
    const create = server.client.schedules.create;
    await expect(create({ ...wanted, testIds, name: made.name })).rejects.toMatchObject({ code: "name_taken" });
    await expect(create(wanted)).rejects.toMatchObject({ message: expect.stringContaining("Nothing is selected") });
    await expect(create({ ...wanted, testIds, suiteId })).rejects.toMatchObject({ status: 422 });
    await expect(create({ ...wanted, suiteId })).rejects.toMatchObject({
      message: expect.stringContaining("The suite has no tests"),
    });
    await expect(create({ ...wanted, testIds, cron: "0 25 * * *" })).rejects.toMatchObject({ status: 422 });
    await expect(create({ ...wanted, testIds, timeZone: "Mars/Olympus" })).rejects.toMatchObject({ status: 422 });
    await expect(create({ ...wanted, testIds, require: "6/5" })).rejects.toMatchObject({ status: 422 });
    await expect(create({ ...wanted, testIds: ["tst_0"] })).rejects.toMatchObject({ status: 422 });
    await expect(create({ ...wanted, testIds, connectionId: "con_0" })).rejects.toMatchObject({ status: 404 });
    const edit = { scheduleId: made.id, expectedRevision: 1 };
    await server.client.schedules.edit({ ...edit, overlap: "queue" });
    await expect(server.client.schedules.edit({ ...edit, overlap: "skip" })).rejects.toMatchObject({
      code: "version_conflict",
    });
  });

  test("a schedule of an archived agent can still be renamed and paused, and not run", async () => {
    const { id: scheduleId, agentId } = await newScheduleOf(server.client, { cron: NEVER_SOON });
    await server.client.agents.archive({ agentId });
    const name = freshName("renamed");
    const { schedule } = await server.client.schedules.edit({ scheduleId, name, paused: true });
    expect(schedule).toMatchObject({ name, paused: true });
    await expect(server.client.schedules.run({ scheduleId })).rejects.toMatchObject({
      code: "parent_agent_archived",
    });
  });

  test("with a hostile name is stored and shown as it is", async () => {
    for (const name of [
      "<script>alert(1)</script>",
      "'; DROP TABLE schedules; --",
      "\u202Eeman\u0000x",
      "🦊".repeat(50),
    ]) {
      const made = await newScheduleOf(server.client, { cron: NEVER_SOON, name }).catch((error: unknown) => error);
      if (made instanceof Error) expect(made).toMatchObject({ status: 422 });
      else expect(made).toMatchObject({ name });
    }
  });

  test("a schedule is one of at most 100 in a project, and lists page without loss", async () => {
    const { project } = await server.admin.projects.create({ name: freshName("project") });
    const client = server.clientOf((await server.admin.keys.create({ project_id: project.id })).secret);
    const { testIds, agentId, connectionId } = await newScheduleOf(client, { cron: NEVER_SOON });
    const create = (name: string) =>
      client.schedules.create({ name, cron: NEVER_SOON, testIds, agentId, connectionId });
    for (let n = 1; n < 100; n++) await create(`slot ${n}`);
    await expect(create("one more")).rejects.toMatchObject({ status: 422 });
    const ids: string[] = [];
    for await (const { id } of pages(client.schedules.list, { pageSize: 30 })) ids.push(id);
    expect(new Set(ids).size).toBe(100);
    expect(ids.every((id, at) => at === 0 || id < ids[at - 1]!)).toBe(true);
  });
});

test("a preview has the words and the next five times, and a wrong expression gets a correction", async () => {
  const { preview } = await server.client.schedules.preview({ cron: "30 2 * * *", timeZone: "Europe/Berlin" });
  expect(preview.words).toBe("At 02:30 every day");
  expect(preview.nextTimes).toHaveLength(5);
  await expect(server.client.schedules.preview({ cron: "0 0 30 2 *" })).rejects.toMatchObject({
    status: 400,
    details: { issues: [{ path: "cron", message: expect.stringContaining("never comes") }] },
  });
});

test("a viewer reads schedules and a key for tests runs them; neither changes them", async () => {
  const { id: scheduleId } = await newScheduleOf(server.client, { cron: NEVER_SOON });
  const projectId = server.project.id;
  const viewer = (await join(server.url, server.admin, `${freshName("vi").replace(" ", "-")}@acme.test`, "viewer"))
    .client;
  expect((await viewer.schedules.get({ scheduleId, projectId })).schedule.id).toBe(scheduleId);
  const { secret } = await server.admin.keys.create({ project_id: projectId, permissions: ["test"] });
  const tester = server.clientOf(secret);
  await expect(viewer.schedules.run({ scheduleId, projectId })).rejects.toMatchObject({ status: 403 });
  for (const client of [viewer, tester])
    await expect(client.schedules.edit({ scheduleId, projectId, paused: true })).rejects.toMatchObject({ status: 403 });
  expect((await tester.schedules.run({ scheduleId })).run.scheduleId).toBe(scheduleId);
});

describe("running a schedule now", () => {
  test("running a schedule now plays the current versions, once for an Idempotency-Key, and is refused while a run is going", async () => {
    const gate = Promise.withResolvers<void>();
    words = () => "Fine.";
    const slow = await startChatAgent(async ({ event }) => {
      if (event !== "start") await gate.promise;
      return event === "start" ? {} : { message: "Fine.", ended: true };
    });
    const { id: scheduleId, testIds } = await newScheduleOf(server.client, { cron: NEVER_SOON, url: slow.url });
    const before = await server.client.tests.get({ testId: testIds[0]! });
    const edited = await server.client.tests.edit({
      testId: before.id,
      expected_version_id: before.version_id,
      expected_behaviors: ['says "Fine"'],
    });
    const [first, second] = await Promise.all([
      server.client.schedules.run({ scheduleId, idempotencyKey: "one" }),
      server.client.schedules.run({ scheduleId, idempotencyKey: "one" }),
    ]);
    expect(first.run.id).toBe(second.run.id);
    await expect(server.client.schedules.run({ scheduleId })).rejects.toMatchObject({
      code: "conflict",
      details: { runId: first.run.id },
    });
    gate.resolve();
    await settled(server.client, first.run.id);
    slow.stop();
    const { grid } = await server.client.runs.grid({ runId: first.run.id });
    expect(grid.tests.map(({ testVersionId }) => testVersionId)).toEqual([edited.version_id]);
    expect(await runsOf(server.client, scheduleId)).toMatchObject([{ scheduleId, startedBy: { kind: "key" } }]);
  });

  test("running a schedule now shows which tests broke and were mended, and the last good run to compare with", async () => {
    const { id: scheduleId } = await scheduleOfTests(["one", "two"]);
    words = () => "Fine.";
    const good = await runNow(scheduleId);
    words = (said) => (said.startsWith("two") ? "No." : "Fine.");
    const bad = await runNow(scheduleId);
    words = (said) => (said.startsWith("two") ? "Fine." : "No.");
    const swapped = await runNow(scheduleId);
    const { runs } = await server.client.schedules.runs({ scheduleId });
    const shown = runs.map(({ runId, outcome, brokenTests, mendedTests, lastGoodRunId }) => ({
      runId,
      outcome,
      broken: brokenTests.map(({ testName }) => testName.slice(0, 3)),
      mended: mendedTests.map(({ testName }) => testName.slice(0, 3)),
      lastGoodRunId,
    }));
    expect(shown).toEqual([
      { runId: swapped, outcome: "failed", broken: ["one"], mended: ["two"], lastGoodRunId: good },
      { runId: bad, outcome: "failed", broken: ["two"], mended: [], lastGoodRunId: good },
      { runId: good, outcome: "passed", broken: [], mended: [], lastGoodRunId: null },
    ]);
    // The event of each run says what changed since the runs before it.
    const { events } = await server.client.events.list({ type: "run.completed" });
    const told = new Map(
      events.flatMap((event) => (event.type === "run.completed" ? [[event.data.run.id, event.data.scheduled]] : [])),
    );
    expect([bad, good, swapped].map((id) => told.get(id))).toEqual(
      [bad, good, swapped].map((id) => runs.find(({ runId }) => runId === id)),
    );
    const page = await server.client.schedules.runs({ scheduleId, pageSize: 1 });
    expect(page.runs[0]).toEqual(runs[0]);
    expect((await scheduleOf(server.client, scheduleId)).lastRuns.map(({ outcome }) => outcome)).toEqual([
      "failed",
      "failed",
      "passed",
    ]);
    const { comparison } = await server.client.runs.compare({ runId: good, with: bad });
    expect(comparison.differences).toEqual([]);
  });

  test("running a schedule now judges each run by the requirement that held when it started; an error of ours is no failure", async () => {
    let turn = 0;
    words = () => (turn++ % 2 === 0 ? "Fine." : "No.");
    const { id: scheduleId } = await scheduleOfTests(["half"], { iterations: 2, require: "1/2" });
    await runNow(scheduleId);
    await server.client.schedules.edit({ scheduleId, require: null });
    await runNow(scheduleId);
    const { runs } = await server.client.schedules.runs({ scheduleId });
    expect(runs.map(({ outcome }) => outcome)).toEqual(["failed", "passed"]);
    const unreached = await newScheduleOf(server.client, { cron: NEVER_SOON });
    await runNow(unreached.id);
    const [run] = (await server.client.schedules.runs({ scheduleId: unreached.id })).runs;
    expect(run).toMatchObject({ outcome: "undecided", failedTests: 0, undecidedTests: 1, brokenCount: 0 });
  });
});
