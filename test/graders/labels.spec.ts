import type { Client } from "@svc/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startChatAgent } from "../support/chat-agent.ts";
import { answers, fakeEndpoint } from "../support/language-model/fake-endpoint.ts";
import { judgement, lastPrompt } from "../support/language-model/judge-replies.ts";
import { join } from "../support/people.ts";
import { conversation, graded, gradesOf, sendSpans } from "../support/production.ts";
import { chatConnection, played, startRun, versionsOf } from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
let client: Client;
beforeAll(async () => {
  server = await startServer({ productionPace: { everyMs: 100 } });
  ({ client } = server);
});
afterAll(() => server.stop());

const P = "passed";
const F = "failed";
type Side = typeof P | typeof F;
const NO_LABELS = {
  judge: null,
  labels: 0,
  undecided: 0,
  agreement: null,
  kappa: null,
  falsePass: null,
  falseFail: null,
};

describe("labels", () => {
  test("labels on grades that code decided show no agreement, and are counted apart", async () => {
    const definition = { kind: "check", check: 'says "fine"' } as const;
    const { grader } = await client.graders.create({ name: "Fine", definition, scope: "production" });
    const agreement = async () => (await client.graders.agreement({ graderId: grader.id })).versions;
    const { versionId } = grader;
    expect(await agreement()).toMatchObject([{ versionId, version: 1, judgedByCode: 0, ...NO_LABELS }]);
    await sendSpans(server, client, conversation(1, "I am fine."));
    const [grade] = await graded(client, 1);
    await client.grades.label({ gradeId: grade!.id!, verdict: F });
    const edited = await client.graders.edit({
      graderId: grader.id,
      expectedVersionId: versionId,
      definition: { kind: "check", check: 'says "splendid"' },
    });
    expect(await agreement()).toMatchObject([
      { versionId: edited.grader.versionId, version: 2, judgedByCode: 0, ...NO_LABELS },
      { versionId, version: 1, judgedByCode: 1, ...NO_LABELS, missing: expect.stringMatching(/there are 0\./) },
    ]);
    await client.graders.archive({ graderId: grader.id });
  });

  test("labels are one for each person and grade, the last one, with author, time and note", async () => {
    const definition = { kind: "check", check: "calls book_room" } as const;
    const { grader } = await client.graders.create({ name: "Books", definition, scope: "production" });
    await sendSpans(server, client, conversation(100, "Booked."));
    const [grade] = await graded(client, 100);
    const gradeId = grade!.id!;
    const member = await join(server.url, server.admin, "member@acme.test", "member");
    const label = (by: Client, verdict: Side, note?: string) =>
      by.grades.label({ gradeId, verdict, projectId: server.project.id, ...(note !== undefined && { note }) });

    await label(client, P, "It was booked by mail.");
    await label(member.client, F);
    const { grade: labeled } = await label(client, F);
    const mine = { verdict: F, note: null, labeledAt: expect.stringMatching(/Z$/) };
    const theirs = { ...mine, userId: member.session.user.id, userName: "member" };
    expect(labeled.labels).toHaveLength(2);
    expect(labeled.labels).toEqual(expect.arrayContaining([expect.objectContaining(mine), theirs]));
    expect((await gradesOf(client, 100))[0]).toEqual(labeled);
    expect((await client.graders.agreement({ graderId: grader.id })).versions).toMatchObject([{ judgedByCode: 2 }]);
    const { labels } = await client.graders.labels({ graderId: grader.id });
    const shown = { gradeId, version: 1, criterion: definition.check, graded: labeled.verdict, runId: null };
    expect(labels).toHaveLength(2);
    expect(labels[0]).toMatchObject({ ...shown, verdict: F, conversation: expect.any(String) });
    expect(labels[1]).toMatchObject({ ...shown, verdict: F, userName: "member" });
    const agreeing = await client.graders.labels({ graderId: grader.id, agrees: labeled.verdict === F });
    expect(agreeing.labels).toEqual(labels);
    const differing = await client.graders.labels({ graderId: grader.id, agrees: labeled.verdict !== F });
    expect(differing.labels).toEqual([]);
    await client.graders.archive({ graderId: grader.id });
  });

  test("labels count for shipped graders too", async () => {
    const agent = await startChatAgent(() => ({ message: "I am fine.", ended: true }));
    const target = await chatConnection(client, agent.url);
    const testVersions = await versionsOf(client, [
      { scenario: "Caller says:\n- Hello.", behaviors: ['says "fine"', "Is polite."] },
    ]);
    const { id } = await startRun(client, { ...target, testVersions });
    const [simulation] = (await played(server, id)).simulations;
    agent.stop();
    const [decided, undecided] = simulation!.grades;
    expect([decided!.verdict, undecided!.verdict]).toEqual(["passed", "not_graded"]);
    for (const { id: gradeId } of [decided!, undecided!])
      await client.grades.label({ gradeId: gradeId!, verdict: P, note: "Yes." });

    const { versions } = await client.graders.agreement({ graderId: decided!.graderId });
    expect(versions).toMatchObject([{ version: 1, judgedByCode: 2, ...NO_LABELS }]);
    const { labels } = await client.graders.labels({ graderId: decided!.graderId, agrees: false });
    expect(labels).toMatchObject([
      { gradeId: undecided!.id, graded: "not_graded", verdict: P, runId: id, simulationId: simulation!.id },
    ]);
    const shown = (await client.simulations.get({ simulationId: simulation!.id })).simulation;
    expect(shown.grades[0]!.labels).toMatchObject([{ verdict: P, note: "Yes." }]);
    expect(shown.verdict).toBe(simulation!.verdict);
    await server.spansLoaded();
    const { grades } = await client.grades.ofTrace({ traceId: simulation!.traceId! });
    expect(grades).toEqual(shown.grades);
  });
});

describe("agreement with people", () => {
  test("agreement with people is of one judge's grades, with intervals, and null with the reason below the minimum number of labels", async () => {
    const endpoint = await fakeEndpoint(
      answers((asked) => {
        const isFine = lastPrompt(asked).includes("I am fine.");
        const reply = isFine ? judgement("pass", { evidence: [{ turn: 1, quote: "I am fine." }] }) : judgement("fail");
        return reply(asked);
      }),
    );
    const { baseUrl, apiKey, model } = endpoint.settings;
    const judged = await startServer({
      productionPace: { everyMs: 100 },
      settings: { SVC_LLM_BASE_URL: baseUrl, SVC_LLM_API_KEY: apiKey, SVC_LLM_MODEL: model },
    });
    const definition = { kind: "llm", criterion: "The agent is fine." } as const;
    const { grader } = await judged.client.graders.create({ name: "Fine", definition, scope: "production" });
    const agreement = async () => (await judged.client.graders.agreement({ graderId: grader.id })).versions;

    // The judge passes 14 grades and fails 12. People disagree with two grades of each kind.
    const said: [judge: Side, person: Side][] = [
      ...Array.from({ length: 12 }, (): [Side, Side] => [P, P]),
      ...Array.from({ length: 10 }, (): [Side, Side] => [F, F]),
      [P, F],
      [P, F],
      [F, P],
      [F, P],
    ];
    await sendSpans(
      judged,
      judged.client,
      said.flatMap(([side], trace) => conversation(trace, side === P ? "I am fine." : "Hm.")),
    );
    for (const [trace, [side, person]] of said.entries()) {
      const [grade] = await graded(judged.client, trace);
      expect(grade).toMatchObject({ verdict: side, decidedBy: "judge" });
      await judged.client.grades.label({ gradeId: grade!.id!, verdict: person });
      if (trace === 18)
        expect(await agreement()).toMatchObject([
          {
            labels: 19,
            agreement: null,
            kappa: null,
            missing: expect.stringMatching(/at least 20 labels .* there are 19/),
          },
        ]);
    }
    // The judge and people agree on 22 of 26 grades. By chance they would agree on the share (14·14 + 12·12) / 26² = 340 / 676.
    const [byChance, agreed] = [340 / 676, 22 / 26];
    const [found, ...others] = await agreement();
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      judge: { model: expect.any(String), promptVersion: expect.any(String) },
      labels: 26,
      undecided: 0,
      judgedByCode: 0,
      agreement: agreed,
      kappa: expect.closeTo((agreed - byChance) / (1 - byChance), 12),
      falsePass: 2 / 12,
      falseFail: 2 / 14,
      missing: null,
    });
    expect(found!.agreementLow).toBeCloseTo(0.6647, 3);
    expect(found!.agreementHigh).toBeCloseTo(0.9385, 3);
    expect(found!.kappaLow).toBeLessThan(found!.kappa!);
    await judged.stop();
    endpoint.stop();
  });
});
