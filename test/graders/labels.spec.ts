import type { Client } from "@svc/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startChatAgent } from "../support/chat-agent.ts";
import { join } from "../support/people.ts";
import { conversation, graded, gradesOf, sendSpans } from "../support/production.ts";
import { chatConnection, played, startRun, versionsOf } from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
let client: Client;
beforeAll(async () => {
  server = await startServer({ gradeProductionEveryMs: 100 });
  ({ client } = server);
});
afterAll(() => server.stop());

const NO_LABELS = { labels: 0, undecided: 0, agreement: null, kappa: null, falsePass: null, falseFail: null };
const P = "passed";
const F = "failed";
type Side = typeof P | typeof F;

describe("labels", () => {
  test("show how far each version of a grader agrees with people", async () => {
    const definition = { kind: "check", check: 'says "fine"' } as const;
    const { grader } = await client.graders.create({ name: "Fine", definition, scope: "production" });
    const agreement = async () => (await client.graders.agreement({ graderId: grader.id })).versions;
    expect(await agreement()).toEqual([{ versionId: grader.versionId, version: 1, ...NO_LABELS }]);

    // The grader passes six and fails four; people disagree with one of the six and with one of the four.
    const said: [grader: Side, person: Side][] = [
      ...Array.from({ length: 5 }, (): [Side, Side] => [P, P]),
      [P, F],
      [F, P],
      ...Array.from({ length: 3 }, (): [Side, Side] => [F, F]),
    ];
    const traces = said.map((_, trace) => trace);
    await sendSpans(
      server,
      client,
      traces.flatMap((trace) => conversation(trace, said[trace]![0] === P ? "I am fine." : "Hm.")),
    );
    for (const trace of traces) {
      const [grade] = await graded(client, trace);
      expect(grade!.verdict).toBe(said[trace]![0]);
      await client.grades.label({ gradeId: grade!.id!, verdict: said[trace]![1] });
    }
    // Agreed: 8 of 10. By chance: (6·6 + 4·4) / 100 = 0.52. Kappa: (0.8 - 0.52) / 0.48.
    const first = {
      versionId: grader.versionId,
      version: 1,
      labels: 10,
      undecided: 0,
      agreement: 0.8,
      kappa: expect.closeTo(0.28 / 0.48, 12),
      falsePass: 0.25,
      falseFail: expect.closeTo(1 / 6, 12),
    };
    expect(await agreement()).toEqual([first]);

    const edited = await client.graders.edit({
      graderId: grader.id,
      expectedVersionId: grader.versionId,
      definition: { kind: "check", check: 'says "splendid"' },
    });
    expect(await agreement()).toEqual([{ versionId: edited.grader.versionId, version: 2, ...NO_LABELS }, first]);
    await client.graders.archive({ graderId: grader.id });
  });

  test("are one for each person and grade, the last one, with author, time and note", async () => {
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
    expect((await client.graders.agreement({ graderId: grader.id })).versions).toMatchObject([
      { labels: 2, agreement: 1, kappa: null, falsePass: 0, falseFail: null },
    ]);
    await client.graders.archive({ graderId: grader.id });
  });

  test("count for shipped graders too, and grades that decide nothing are counted separately", async () => {
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
    expect(versions).toMatchObject([
      { version: 1, labels: 1, undecided: 1, agreement: 1, falsePass: null, falseFail: 0 },
    ]);
    const shown = (await client.simulations.get({ simulationId: simulation!.id })).simulation;
    expect(shown.grades[0]!.labels).toMatchObject([{ verdict: P, note: "Yes." }]);
    expect(shown.verdict).toBe(simulation!.verdict);
    await server.spansLoaded();
    const { grades } = await client.grades.ofTrace({ traceId: simulation!.traceId! });
    expect(grades).toEqual(shown.grades);
  });
});
