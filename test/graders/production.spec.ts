import { rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { Grade, Grader } from "@svc/contract";
import type { Client } from "@svc/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isSampled } from "../../packages/server/src/grading/graders/production/sampling.ts";
import { openStoreOf } from "../support/engine.ts";
import { answers, fakeEndpoint, refuses } from "../support/language-model/fake-endpoint.ts";
import { lastPrompt, passesWithProof } from "../support/language-model/judge-replies.ts";
import { conversation, graded, gradesOf, sendSpans } from "../support/production.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { freshName } from "../support/world.ts";
import { keySettings } from "../support/secret.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startOne();
});
afterAll(() => server.stop());

const startOne = (more: Parameters<typeof startServer>[0] = {}) =>
  startServer({ productionPace: { everyMs: 100 }, ...more });

async function newProject(): Promise<Client> {
  const { project } = await server.admin.projects.create({ name: freshName("project") });
  return server.clientOf((await server.admin.keys.create({ project_id: project.id })).secret);
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
const NO_GUARANTEE = { kind: "check", check: 'never says "guarantee"' } as const;

type Wanted = Partial<Parameters<Client["graders"]["create"]>[0]>;
const grader = async (client: Client, more: Wanted = {}): Promise<Grader> =>
  (
    await client.graders.create({
      name: freshName("grader"),
      definition: NO_GUARANTEE,
      scope: "production",
      ...more,
    })
  ).grader;

const send = (client: Client, traces: readonly number[], said = "I guarantee it.", to = server) =>
  sendSpans(
    to,
    client,
    traces.flatMap((trace) => conversation(trace, said)),
  );

async function eachGraded(client: Client, traces: readonly number[]): Promise<Grade[][]> {
  const grades: Grade[][] = [];
  for (const trace of traces) grades.push(await graded(client, trace));
  return grades;
}

describe("a production conversation", () => {
  test("a production conversation is graded when it is over, by each grader whose scope includes production", async () => {
    const client = await newProject();
    const { id, versionId, name } = await grader(client);
    await grader(client, { scope: "both", definition: { kind: "built_in", name: "unanswered_turns" } });
    await grader(client, { scope: "simulations" });
    const paused = await grader(client);
    await client.graders.configure({ graderId: paused.id, enabled: false });
    await send(client, [1]);
    await send(client, [2], "Perhaps.");
    const [first] = await graded(client, 1, 2);
    expect(first).toMatchObject({
      id: expect.stringMatching(/^gra_/),
      graderId: id,
      graderVersionId: versionId,
      graderName: name,
      verdict: "failed",
      decidedBy: "check",
      evidence: [{ turn: 1, quote: "guarantee", toolCall: null }],
      labels: [],
    });
    expect((await graded(client, 2, 2)).map(({ verdict }) => verdict)).toEqual(["passed", "passed"]);
  });

  test("a production conversation is graded as a whole after its end, and not before", async () => {
    const client = await newProject();
    await grader(client);
    await sendSpans(server, client, conversation(1, "Perhaps.", { isOver: false }));
    await send(client, [2]);
    await graded(client, 2);
    expect(await gradesOf(client, 1)).toEqual([]);
    await sendSpans(server, client, conversation(1, "Perhaps."));
    expect(await graded(client, 1)).toMatchObject([{ verdict: "passed" }]);
  });

  test("a production conversation is not graded if it ended before the project graded production", async () => {
    const client = await newProject();
    await send(client, [1]);
    await grader(client);
    await send(client, [2]);
    await graded(client, 2);
    expect(await gradesOf(client, 1)).toEqual([]);
  });

  test("a production conversation is not graded by another project's graders", async () => {
    const client = await newProject();
    await grader(client);
    const other = await newProject();
    await sendSpans(server, other, conversation(1, "I guarantee it."));
    await send(client, [2]);
    await graded(client, 2);
    expect(await gradesOf(other, 1)).toEqual([]);
    await expect(gradesOf(client, 1)).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("a sample", () => {
  test("a sample is empty at rate 0, complete at rate 1, and always the same half at rate 0.5", async () => {
    const client = await newProject();
    const traces = numbers(24);
    const none = await grader(client, { productionSampleRate: 0 });
    const half = await grader(client, { productionSampleRate: 0.5 });
    const all = await grader(client, { productionSampleRate: 1 });
    const expected = traces.filter((trace) =>
      isSampled({ current: { id: half.versionId }, settings: half }, `job-${trace}`),
    );
    expect(expected.length).toBeGreaterThan(1);
    expect(expected.length).toBeLessThan(23);
    await send(client, traces);
    const grades = await eachGraded(client, traces);
    const by = ({ id }: Grader) => traces.filter((trace) => grades[trace]!.some(({ graderId }) => graderId === id));
    expect([by(none), by(half), by(all)]).toEqual([[], expected, traces]);
  });

  test("a sample grows with the rate, keeps its conversations, and has the rate's share", () => {
    const sampled = (id: string, rate: number, name: string) =>
      isSampled({ current: { id }, settings: { productionSampleRate: rate } }, name);
    const rate = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.string(), fc.string(), rate, rate, (id, name, one, other) => {
        const [low, high] = [Math.min(one, other), Math.max(one, other)];
        expect(sampled(id, low, name) && !sampled(id, high, name)).toBe(false);
        expect([sampled(id, 0, name), sampled(id, 1, name)]).toEqual([false, true]);
      }),
    );
    const share = numbers(10_000).filter((n) => sampled("grdv_1", 0.3, `job-${n}`)).length / 10_000;
    expect(share).toBeGreaterThan(0.28);
    expect(share).toBeLessThan(0.32);
  });
});

describe("a restart", () => {
  test("a restart grades the remaining conversations, and none twice, wherever the process stopped", async () => {
    const first = await startOne();
    const traces = numbers(12);
    const { id: graderId } = await grader(first.client);
    await send(first.client, traces, "Perhaps.", first);
    for (const trace of traces.slice(0, 2)) await graded(first.client, trace);
    await first.close();

    const { db, close } = await openStoreOf(first.dataDir);
    await db.updateTable("production_checkpoints").set({ received_ms: 0 }).execute();
    const stored = (await db.selectFrom("production_grades").select("id").execute()).map(({ id }) => id);
    const lost = stored.filter((_, n) => n % 3 === 0);
    await db.deleteFrom("production_grades").where("id", "in", lost).execute();
    await close();
    const before = stored.filter((id) => !lost.includes(id));
    rmSync(join(first.dataDir, "relational.checksums"), { force: true });

    const settings = keySettings(first);
    const second = await startOne({ dataDir: first.dataDir, settings });
    const grades = await eachGraded(second.client, traces);
    await second.stop();
    first.remove();
    expect(grades.map((of) => of.map((grade) => grade.graderId))).toEqual(traces.map(() => [graderId]));
    const after = new Set<unknown>(grades.flat().map(({ id }) => id));
    expect(before.length).toBeGreaterThan(0);
    expect(before.filter((id) => !after.has(id))).toEqual([]);
  });
});

test("a project that enables production grading again begins with later conversations", async () => {
  const client = await newProject();
  const { id: graderId, projectId } = await grader(client);
  await send(client, [1]);
  await graded(client, 1);
  await client.graders.configure({ graderId, enabled: false });
  const { db, close } = await openStoreOf(server.dataDir);
  const checkpoint = db.selectFrom("production_checkpoints").selectAll().where("project_id", "=", projectId);
  await until("the checkpoint is gone", async () => (await checkpoint.executeTakeFirst()) === undefined);
  await close();
  await send(client, [2]);
  await client.graders.configure({ graderId, enabled: true });
  await send(client, [3]);
  await graded(client, 3);
  expect(await gradesOf(client, 2)).toEqual([]);
});

test("a grade by code says how the service understood the behavior, and an old grade without this text has null", async () => {
  const client = await newProject();
  await grader(client);
  await send(client, [1]);
  const [grade] = await graded(client, 1);
  expect(grade!.reading).toBe('The agent never says "guarantee".');
  const { db, close } = await openStoreOf(server.dataDir);
  const row = db.selectFrom("production_grades").select("grade").where("id", "=", grade!.id);
  const { reading: _, ...older } = JSON.parse((await row.executeTakeFirstOrThrow()).grade);
  await db
    .updateTable("production_grades")
    .set({ grade: JSON.stringify(older) })
    .where("id", "=", grade!.id)
    .execute();
  await close();
  expect(await gradesOf(client, 1)).toEqual([{ ...grade!, reading: null }]);
});

describe("an edited grader", () => {
  test("an edited grader grades later conversations by its new version, and earlier grades stay", async () => {
    const client = await newProject();
    const { id: graderId, versionId: expectedVersionId } = await grader(client);
    await send(client, [1]);
    const [old] = await graded(client, 1);
    const definition = { kind: "check", check: 'says "guarantee"' } as const;
    const { grader: edited } = await client.graders.edit({ graderId, expectedVersionId, definition });
    await send(client, [2]);
    const [now] = await graded(client, 2);
    expect([old!.graderVersionId, old!.verdict]).toEqual([expectedVersionId, "failed"]);
    expect([now!.graderVersionId, now!.verdict]).toEqual([edited.versionId, "passed"]);
    expect((await gradesOf(client, 1))[0]).toEqual(old);
  });
});

describe("a grader that needs a judge", () => {
  const definition = {
    kind: "llm",
    criterion: "Stays calm.",
    passesWhen: "It answers in whole sentences.",
    failsWhen: "It shouts.",
  } as const;

  test("a grader that needs a judge gives no verdict without a model, and says how to set one", async () => {
    const client = await newProject();
    await grader(client, { definition });
    await send(client, [1]);
    expect(await graded(client, 1)).toMatchObject([
      { verdict: "not_graded", decidedBy: "none", reason: expect.stringMatching(/svc language-model set/) },
    ]);
  });

  test("a grader that needs a judge sends the judge the criterion and its two conditions; without an answer the grade is errored, never failed", async () => {
    const asked: string[] = [];
    const endpoint = await fakeEndpoint((request, ...rest) => {
      asked.push(lastPrompt(request));
      const behavior = asked.at(-1)!.includes("Cannot be asked.") ? refuses(401) : answers(passesWithProof);
      behavior(request, ...rest);
    });
    const { baseUrl, apiKey, model } = endpoint.settings;
    const settings = { SVC_LLM_BASE_URL: baseUrl, SVC_LLM_API_KEY: apiKey, SVC_LLM_MODEL: model };
    const judged = await startOne({ settings });
    const { name } = await grader(judged.client, { definition });
    await send(judged.client, [1], "I am quite calm.", judged);
    const grades = await graded(judged.client, 1, 1);
    await grader(judged.client, { definition: { kind: "llm", criterion: "Cannot be asked." } });
    await send(judged.client, [2], "I am quite calm.", judged);
    const refused = await graded(judged.client, 2, 2);
    await judged.stop();
    endpoint.stop();
    expect(grades).toMatchObject([{ verdict: "passed", decidedBy: "judge", criterion: name }]);
    expect(grades[0]).toMatchObject({
      judge: { model: "fake-1-2026-01", dialect: "full" },
      usage: { requests: 2, inputTokens: 20, outputTokens: 10, cost: null },
      calibration: null,
    });
    expect(refused.map(({ verdict, decidedBy }) => [verdict, decidedBy])).toEqual(
      [1, 2].map(() => ["errored", "judge"]),
    );
    expect(grades[0]!.votes[0]).toMatchObject({ model: "fake-1-2026-01", verdict: "passed" });
    const prompt = asked.find((text) => text.includes(definition.criterion));
    for (const words of [definition.passesWhen, definition.failsWhen]) expect(prompt).toContain(words);
  });
});
