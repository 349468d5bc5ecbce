import { ListedTrace } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { spanOf, traceIdOf } from "../support/ingest.ts";
import { attribute, type OtlpSpan } from "../support/otlp.ts";
import { graded, sendSpans } from "../support/production.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { freshName } from "../support/world.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ productionPace: { everyMs: 100 } });
  for (const check of ['never says "guarantee"', 'says "Welcome"'])
    await server.client.graders.create({
      name: check,
      definition: { kind: "check", check },
      scope: "production",
      productionSampleRate: 1,
    });
  await sendSpans(server, server.client, [
    ...call(1, {
      greeting: "Welcome to the clinic.",
      asks: "I need a doctor.",
      answer: "I guarantee it.",
      slowestMs: 900,
    }),
    ...call(2, { greeting: "Welcome to the clinic.", asks: null, answer: "Hello?" }),
    ...call(3, {
      greeting: "Good day.",
      asks: "A table for two.",
      answer: "Of course.",
      tool: { status: 0, failed: true },
    }),
    ...call(4, {
      greeting: "Good day.",
      asks: "And for four?",
      answer: "Of course.",
      slowestMs: 4_000,
      tool: { status: 2, failed: true },
    }),
    ...call(5, { greeting: "Good day.", asks: "For six?", answer: "Of course.", tool: { status: 0, failed: false } }),
  ]);
  for (const number of [1, 2, 3, 4, 5]) await graded(server.client, number, 2);
});
afterAll(() => server.stop());

type Call = {
  greeting: string;
  asks: string | null;
  answer: string;
  slowestMs?: number;
  tool?: { status: 0 | 2; failed: boolean };
};

/** Returns the spans of the call with this number. The agent greets, the caller asks, and the agent answers, perhaps with a tool call. */
function call(number: number, { greeting, asks, answer, slowestMs, tool }: Call): OtlpSpan[] {
  const shared = [attribute("lk.job_id", `job ${number}`)];
  const latency = slowestMs === undefined ? [] : [attribute("lk.e2e_latency", slowestMs / 1000)];
  return [
    spanOf(number, 0, { name: "job_entrypoint", attributes: shared }),
    spanOf(number, 1, { name: "agent_turn", attributes: [...shared, attribute("lk.response.text", greeting)] }),
    ...(asks === null
      ? []
      : [spanOf(number, 2, { name: "user_turn", attributes: [...shared, attribute("lk.user_transcript", asks)] })]),
    spanOf(number, 3, {
      name: "agent_turn",
      attributes: [...shared, attribute("lk.response.text", answer), ...latency],
    }),
    ...(tool === undefined
      ? []
      : [
          spanOf(number, 4, {
            name: "function_tool",
            status: { code: tool.status },
            attributes: [
              ...shared,
              attribute("lk.function_tool.name", "book"),
              attribute("lk.function_tool.is_error", tool.failed),
            ],
          }),
        ]),
  ];
}

const rowOf = async (number: number) =>
  (await server.client.traces.list({})).traces.find(({ traceId }) => traceId === traceIdOf(number))!;
const numbersOf = async (filters: Parameters<typeof server.client.traces.list>[0]) =>
  (await server.client.traces.list(filters)).traces.map(({ conversationId }) => Number(conversationId!.slice(4)));

describe("a row of the list", () => {
  test("a row has the caller's first words, and those of the agent only when the caller says none", async () => {
    expect(await rowOf(1)).toMatchObject({ preview: "I need a doctor.", previewRole: "user", source: "production" });
    expect(await rowOf(2)).toMatchObject({ preview: "Welcome to the clinic.", previewRole: "agent" });
    expect(await server.client.traces.get({ traceId: traceIdOf(1) })).toMatchObject({ preview: "I need a doctor." });
  });

  test("a row counts the verdicts of each grader's newest grade; null without a grade", async () => {
    const { traces } = await server.client.traces.list({});
    expect(traces.map((trace) => ListedTrace.parse(trace))).toEqual(traces);
    expect((await rowOf(1)).verdicts).toEqual({ passed: 1, failed: 1, undecided: 0 });
    expect((await rowOf(3)).verdicts).toEqual({ passed: 1, failed: 1, undecided: 0 });
    const { project } = await server.admin.projects.create({ name: freshName("project") });
    const { secret } = await server.admin.keys.create({ name: freshName("key"), project_id: project.id });
    const other = server.clientOf(secret);
    await sendSpans(server, other, call(1, { greeting: "Good day.", asks: "Hello?", answer: "Yes." }));
    expect((await other.traces.list({})).traces).toMatchObject([{ traceId: traceIdOf(1), verdicts: null }]);
  });

  test("a row has no outcome when no platform reports one", async () => {
    expect((await rowOf(1)).reportedOutcome).toBeNull();
  });

  test("a failed tool call is one error, whether or not the sender marks its span as failed; the filter agrees with the count", async () => {
    for (const number of [3, 4]) {
      expect(await rowOf(number)).toMatchObject({ errorCount: 1, status: "error" });
      expect(await server.client.traces.get({ traceId: traceIdOf(number) })).toMatchObject({
        errorCount: 1,
        status: "error",
      });
    }
    expect(await rowOf(5)).toMatchObject({ errorCount: 0, status: "ok" });
    expect(await numbersOf({ status: "error" })).toEqual([4, 3]);
    expect(await numbersOf({ status: "ok" })).toEqual([5, 2, 1]);
  });

  test("a search shows where it matches, in the words or in the names; without a search there is no place", async () => {
    const { traces } = await server.client.traces.list({ search: "GUARANTEE" });
    expect(traces.map(({ searchMatch }) => searchMatch)).toEqual([
      { in: "turns", text: "i guarantee it.", start: 2, end: 11 },
    ]);
    expect((await rowOf(1)).searchMatch).toBeNull();
    const byId = await server.client.traces.list({ search: "job 3" });
    expect(byId.traces).toMatchObject([{ traceId: traceIdOf(3), searchMatch: { in: "names", text: "job 3" } }]);
  });

  test("the list is sorted by the slowest answer; an unknown one counts as the lowest", async () => {
    expect((await numbersOf({ sort: "-slowest" })).slice(0, 2)).toEqual([4, 1]);
    expect((await numbersOf({ sort: "slowest" })).slice(-2)).toEqual([1, 4]);
    expect((await rowOf(4)).responseLatency).toMatchObject({ max: 4_000 });
  });
});
