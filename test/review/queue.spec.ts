import { REVIEW_REASON_NAMES } from "@svc/contract";
import type { Client } from "@svc/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isDrawn } from "../../packages/server/src/base/draw.ts";
import { startChatAgent } from "../support/chat-agent.ts";
import { openStoreOf } from "../support/engine.ts";
import { traceIdOf } from "../support/ingest.ts";
import { answeredCall, conversation, graded, gradesOf, sendSpans } from "../support/production.ts";
import { judgingGrader, queued, reasonsOf, reviewedProject, say, SAYS, startReviewed } from "../support/review.ts";
import { chatConnection, settled, startRun, versionsOf } from "../support/runs.ts";
import type { TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

/** All sources except failure groups, whose items arrive a little later. `test/groups/groups.spec.ts` tests these. */
const SOURCES = REVIEW_REASON_NAMES.filter((reason) => reason !== "failure_group");

let server: TestServer;
beforeAll(async () => {
  server = await startReviewed();
});
afterAll(() => server.stop());

const itemsOf = async (client: Client) => (await client.review.list({ pageSize: 200 })).items;

describe("the queue", () => {
  test("the queue is off until a project switches it on, with settings that are ready to use", async () => {
    const { client } = await reviewedProject(server);
    const { queue } = await client.review.queue();
    expect(queue).toEqual({
      enabled: false,
      sources: ["random", "disagreement", "low_confidence", "alert", "failure_group"],
      randomShare: 0.02,
      confidenceBelow: 0.7,
      scope: "both",
      graderIds: [],
      secondPersonShare: 0,
      counts: { waiting: 0, open: 0, inWork: 0, done: 0, skipped: 0 },
      itemsMax: 1_000,
      leftOut: 0,
    });
    await say(server, client, "split", "doubt");
    expect(await itemsOf(client)).toEqual([]);
    await client.review.configure({ enabled: true, sources: SOURCES });
    expect((await client.review.queue()).queue).toEqual({ ...queue, sources: SOURCES, enabled: true });
    // Conversations that were graded before the queue was switched on do not enter the queue.
    await say(server, client, "split");
    expect(await queued(client, 1)).toHaveLength(1);
  });

  test("the queue has each conversation once, with the reasons for which it came, and leaves out the others", async () => {
    const { client, grader, project } = await reviewedProject(server);
    await client.review.configure({ enabled: true, randomShare: 0, sources: SOURCES });
    const [sure, split, doubt] = await say(server, client, "sure", "split", "doubt", "bad");
    expect(await gradesOf(client, split!)).toMatchObject([{ verdict: "passed", decidedBy: "judge" }]);
    const items = (await queued(client, 2)).toSorted((one, other) => (one.traceId! < other.traceId! ? -1 : 1));
    expect(items.map(({ traceId, reasons }) => [traceId, reasons])).toEqual([
      [
        traceIdOf(split!),
        [
          {
            reason: "disagreement",
            sentence: `The judge's votes on “${grader.name}” differ: 2 passed, 1 failed.`,
            graderId: grader.id,
            alertId: null,
            at: expect.any(String),
          },
        ],
      ],
      [traceIdOf(doubt!), [expect.objectContaining({ reason: "low_confidence", graderId: grader.id })]],
    ]);
    expect(items[0]).toMatchObject({
      projectId: project.id,
      source: "production",
      runId: null,
      simulationId: null,
      state: "open",
      gradeIds: [(await gradesOf(client, split!))[0]!.id],
      peopleWanted: 1,
      people: [],
      closedAt: null,
    });
    // Neither a further grader on an old conversation, nor a conversation that is derived again, adds a second item.
    await sendSpans(server, client, conversation(sure!, `${SAYS.sure} It is number ${sure}.`));
    await sendSpans(server, client, conversation(split!, `${SAYS.split} It is number ${split}.`));
    await say(server, client, "sure");
    expect(await itemsOf(client)).toHaveLength(2);
  });

  test("the queue draws the random share by the conversation, so that nothing is drawn twice and no retry changes it", async () => {
    const { client, project } = await reviewedProject(server);
    await client.review.configure({ enabled: true, randomShare: 0.5, sources: ["random"] });
    const traces = await say(server, client, ...Array.from({ length: 24 }, () => "sure" as const));
    const expected = traces.filter((trace) => isDrawn(project.id, `job-${trace}`, 0.5));
    expect(expected.length).toBeGreaterThan(3);
    const items = await queued(client, expected.length);
    expect(items.map(({ traceId }) => traceId!).toSorted()).toEqual(expected.map(traceIdOf).toSorted());
    expect(new Set(items.flatMap(reasonsOf))).toEqual(new Set(["random"]));
  });

  test("the queue is listed by state, reason, grader and agent, page by page", async () => {
    const { client, grader } = await reviewedProject(server);
    const other = await judgingGrader(client);
    await client.review.configure({ enabled: true, randomShare: 0, sources: SOURCES });
    await say(server, client, "split");
    await say(server, client, "doubt", "doubt");
    await until("both graders have graded", async () =>
      (await queued(client, 3)).every((item) => item.gradeIds.length === 2),
    );
    const all = (await itemsOf(client)).map(({ id }) => id);
    const ids = async (filters: Parameters<Client["review"]["list"]>[0]) =>
      (await client.review.list({ pageSize: 200, ...filters })).items.map(({ id }) => id);
    expect(await ids({ reason: "low_confidence" })).toEqual(all.slice(0, 2));
    expect(await ids({ graderId: grader.id })).toEqual(all);
    expect(await ids({ graderId: other.id })).toEqual(all);
    expect(await ids({ state: "open" })).toEqual(all);
    expect(await ids({ state: "done" })).toEqual([]);
    expect(await ids({ agent: "Nobody" })).toEqual([]);
    const first = await client.review.list({ pageSize: 2 });
    const second = await client.review.list({ pageSize: 2, pageToken: first.nextPageToken! });
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(all);
    expect(second.nextPageToken).toBeNull();
    await expect(client.review.list({ pageToken: "gra_1" })).rejects.toMatchObject({ code: "unprocessable" });
  });

  test("the queue has simulations too, with the grades of the last grading", async () => {
    const { client } = await reviewedProject(server);
    await client.review.configure({ enabled: true, randomShare: 1, sources: ["random"] });
    const agent = await startChatAgent(() => ({ message: `${SAYS.sure} It is number 0.`, ended: true }));
    const testVersions = await versionsOf(client, [
      { scenario: "Caller says:\n- Hello.", behaviors: ["Is polite.", 'says "fine"'] },
    ]);
    const run = await startRun(client, { ...(await chatConnection(client, agent.url)), testVersions });
    await settled(client, run.id);
    const [item, ...others] = await queued(client, 1);
    expect(others).toEqual([]);
    const { simulations } = await client.runs.simulations({ runId: run.id });
    const simulationId = simulations[0]!.id;
    const gradesNow = async () => (await client.simulations.get({ simulationId })).simulation.grades;
    const judged = async () => (await gradesNow()).filter(({ decidedBy }) => decidedBy === "judge").map(({ id }) => id);
    expect(item).toMatchObject({
      source: "simulation",
      runId: run.id,
      simulationId,
      agentName: expect.stringMatching(/^agent/),
      traceId: expect.any(String),
      gradeIds: await judged(),
    });
    await client.simulations.regrade({ simulationId });
    await settled(client, run.id);
    const [again, ...more] = await itemsOf(client);
    expect(more).toEqual([]);
    expect(again).toMatchObject({ id: item!.id, gradeIds: await judged() });
    expect(again!.gradeIds).not.toEqual(item!.gradeIds);
    agent.stop();
  });

  test("that is full leaves further conversations out, counts them, and takes new ones once there is room", async () => {
    const { client, project } = await reviewedProject(server);
    await client.review.configure({ enabled: true, randomShare: 0, sources: SOURCES });
    await say(server, client, "split");
    const [item] = await queued(client, 1);
    const { db, close } = await openStoreOf(server.dataDir);
    const row = await db.selectFrom("review_items").selectAll().where("id", "=", item!.id).executeTakeFirstOrThrow();
    const many = Array.from({ length: 999 }, (_, n) => ({
      ...row,
      id: `rvi_0000000000000000000000${String(n).padStart(4, "0")}`,
      conversation: `full ${n}`,
    }));
    for (let from = 0; from < many.length; from += 200)
      await db
        .insertInto("review_items")
        .values(many.slice(from, from + 200))
        .execute();
    const [left] = await say(server, client, "split");
    expect(await gradesOf(client, left!)).toHaveLength(1);
    const { queue } = await client.review.queue();
    expect([queue.counts.open, queue.leftOut]).toEqual([1_000, 1]);
    await client.review.skip({ reviewItemId: many[0]!.id });
    await say(server, client, "split");
    const { queue: after } = await client.review.queue();
    expect([after.counts.open, after.counts.skipped, after.leftOut]).toEqual([1_000, 1, 1]);
    await db.deleteFrom("review_items").where("project_id", "=", project.id).execute();
    await close();
  });

  test("the queue refuses a grader that the project does not have", async () => {
    const { client } = await reviewedProject(server);
    const other = await reviewedProject(server);
    await expect(client.review.configure({ graderIds: [other.grader.id] })).rejects.toMatchObject({
      code: "unprocessable",
      message: expect.stringMatching(/has no grader/),
    });
  });
});

describe("an alert", () => {
  test("brings its conversations in once and first; those without a grade wait for one", async () => {
    const { client } = await reviewedProject(server);
    await client.review.configure({ enabled: true, randomShare: 0, sources: SOURCES });
    await say(server, client, "split");
    const startMs = Math.floor(Date.now() / 300_000) * 300_000 - 300_000;
    const calls = [900_001, 900_002, 900_003].flatMap((trace, n) => {
      const [root, ...turns] = answeredCall(trace, { agent: "Hotel", startMs: startMs + n, latencyMs: 500 });
      const fails = n < 2 && { status: { code: 2 } };
      return [
        {
          root: root!,
          turns: turns.map((span) => ({ ...span, ...fails, attributes: [...root!.attributes!, ...span.attributes!] })),
        },
      ];
    });
    // The service grades these conversations when their root spans have arrived.
    await sendSpans(
      server,
      client,
      calls.flatMap(({ turns }) => turns),
    );
    const { alertRule } = await client.alertRules.create({
      name: "Hotel fails",
      watch: { kind: "errors" },
      windowMinutes: 5,
      minSamples: 1,
      agents: ["Hotel"],
      condition: { is: "above", value: 0.1 },
    });
    const waiting = await queued(client, 2, { reason: "alert" });
    expect(waiting.map(({ traceId }) => traceId!).toSorted()).toEqual(
      [traceIdOf(900_001), traceIdOf(900_002)].toSorted(),
    );
    const [alert] = (await client.alerts.list({ alertRuleId: alertRule.id })).alerts;
    for (const item of waiting)
      expect(item).toMatchObject({
        state: "waiting",
        agentName: "Hotel",
        gradeIds: [],
        reasons: [
          {
            reason: "alert",
            alertId: alert!.id,
            sentence: expect.stringMatching(
              /^It is one of the conversations of the alert “Hotel fails”: .* of Hotel\.$/,
            ),
          },
        ],
      });
    const { queue } = await client.review.queue();
    expect(queue.counts).toMatchObject({ waiting: 2, open: 1 });
    expect((await client.review.next()).item!.traceId).not.toBe(waiting[0]!.traceId);
    await expect(client.review.label({ reviewItemId: waiting[0]!.id, verdict: "passed" })).rejects.toMatchObject({
      code: "unprocessable",
      message: expect.stringMatching(/no grade to label/),
    });

    await sendSpans(
      server,
      client,
      calls.map(({ root }) => root),
    );
    await graded(client, 900_001);
    const open = await until("both can be labeled", async () => {
      const { items } = await client.review.list({ reason: "alert", state: "open" });
      return items.length === 2 && items;
    });
    // The new items come before the older item, which the person no longer has after the skip.
    const [older] = (await client.review.list({ reason: "disagreement" })).items;
    await client.review.next({ after: older!.id });
    const { item } = await client.review.next();
    expect(open.map(({ id }) => id)).toContain(item!.id);
    expect((await client.review.list({ reason: "alert", pageSize: 200 })).items).toHaveLength(2);
  });

  test("about the failures of a grader brings the conversations that it failed", async () => {
    const { client, grader } = await reviewedProject(server);
    await client.review.configure({ enabled: true, randomShare: 0, sources: SOURCES });
    const [, bad] = await say(server, client, "sure", "bad");
    expect(await itemsOf(client)).toEqual([]);
    const { db, close } = await openStoreOf(server.dataDir);
    // The last whole window ended before these grades were made, so their times are moved into it.
    const before = Math.floor(Date.now() / 300_000) * 300_000 - 1_000;
    await db
      .updateTable("production_grades")
      .set({ graded_ms: before })
      .where("project_id", "=", grader.projectId!)
      .execute();
    await close();
    await client.alertRules.create({
      name: "Too many failures",
      watch: { kind: "grader_failures", grader: grader.name },
      windowMinutes: 5,
      minSamples: 1,
      condition: { is: "above", value: 0.1 },
    });
    const items = await queued(client, 1);
    expect(items).toMatchObject([{ traceId: traceIdOf(bad!), state: "open", reasons: [{ reason: "alert" }] }]);
  });

  test("whose conversations nobody grades within a day keeps no place in the queue", async () => {
    const { client, grader } = await reviewedProject(server);
    await client.graders.archive({ graderId: grader.id });
    await client.review.configure({ enabled: true, sources: SOURCES });
    const startMs = Math.floor(Date.now() / 300_000) * 300_000 - 300_000;
    await sendSpans(server, client, answeredCall(900_010, { agent: "Taxi", startMs, latencyMs: 500, fails: true }));
    await client.alertRules.create({
      name: "Taxi fails",
      watch: { kind: "errors" },
      windowMinutes: 5,
      minSamples: 1,
      condition: { is: "above", value: 0.1 },
    });
    const [item] = await queued(client, 1);
    expect(item).toMatchObject({ state: "waiting", agentName: "Taxi" });
    const { db, close } = await openStoreOf(server.dataDir);
    const old = new Date(Date.now() - 25 * 3_600_000).toISOString();
    await db.updateTable("review_items").set({ created_at: old }).where("id", "=", item!.id).execute();
    await close();
    await until("it has left the queue", async () => (await itemsOf(client)).length === 0);
  });
});
