import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { answersWith, type Behavior, fakeEndpoint } from "../support/language-model/fake-endpoint.ts";
import { passesWithProof } from "../support/language-model/judge-replies.ts";
import { type ChatAgent, startChatAgent } from "../support/chat-agent.ts";
import { chatConnection, played, startApiRun, startRun, versionsOf } from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";

const PRICES = { SVC_LLM_PRICE_INPUT: "2", SVC_LLM_PRICE_OUTPUT: "10" };
const USAGE = { prompt_tokens: 1_000, completion_tokens: 100, prompt_tokens_details: { cached_tokens: 400 } };
/** The cost of one request: 1,000 input tokens at 2, some of them cached, and 100 output tokens at 10 per million. */
const COST = 0.003;

let endpoint: Awaited<ReturnType<typeof fakeEndpoint>>;
let agent: ChatAgent;
let judge: Behavior;
const servers: TestServer[] = [];
let settings: Record<string, string>;
let priced: TestServer;

async function serverWith(prices: Record<string, string>) {
  const server = await startServer({ settings: { ...settings, ...prices } });
  servers.push(server);
  return server;
}

beforeAll(async () => {
  endpoint = await fakeEndpoint((...asked) => judge(...asked));
  const { baseUrl, apiKey, model } = endpoint.settings;
  settings = { SVC_LLM_BASE_URL: baseUrl, SVC_LLM_API_KEY: apiKey, SVC_LLM_MODEL: model };
  agent = await startChatAgent((spoken) => (spoken.event === "start" ? {} : { message: "Of course, a room for two." }));
  priced = await serverWith(PRICES);
});
afterAll(async () => {
  agent.stop();
  endpoint.stop();
  await Promise.all(servers.map((server) => server.stop()));
});
beforeEach(() => {
  endpoint.asked.length = 0;
  judge = answersWith(passesWithProof, { usage: USAGE });
});

const SCENARIO = "Caller says: I'd like a room.";

async function runOn({ client }: TestServer, tests: number, more: object = {}) {
  const target = await chatConnection(client, agent.url);
  const scenarios = Array.from({ length: tests }, () => ({
    scenario: SCENARIO,
    behaviors: ["Is polite to the caller.", "Offers a room."],
  }));
  const testVersions = await versionsOf(client, scenarios);
  return startRun(client, { ...target, testVersions, caller: "scripted", concurrency: 1, ...more });
}

test("tokens and cost are shared among the grades, and the run has their sums", async () => {
  const { run, simulations } = await played(priced, (await runOn(priced, 1)).id);
  expect(run).toMatchObject({
    passedVerdicts: 1,
    maxCost: null,
    judgeRequests: 2,
    judgeInputTokens: 2_000,
    judgeCachedInputTokens: 800,
    judgeOutputTokens: 200,
  });
  expect(run.judgeCost).toBeCloseTo(2 * COST, 10);
  const usages = simulations[0]!.grades.filter(({ decidedBy }) => decidedBy === "judge").map(({ usage }) => usage!);
  expect(usages).toHaveLength(2);
  for (const usage of usages) {
    expect(usage).toMatchObject({ requests: 2, inputTokens: 1_000, cachedInputTokens: 400, outputTokens: 100 });
    expect(usage.cost).toBeCloseTo(COST, 10);
  }
  const code = simulations[0]!.grades.find(({ decidedBy }) => decidedBy === "built_in");
  expect(code).toMatchObject({ judge: null, usage: null });
});

test("a run that reaches its cost limit judges no further: what is left is not graded with that reason, never passed", async () => {
  const maxCost = 3 * COST;
  const { run, simulations } = await played(priced, (await runOn(priced, 6, { maxCost })).id);
  expect(run).toMatchObject({ status: "completed", maxCost, failedVerdicts: 0 });
  expect(run.judgeCost!).toBeGreaterThanOrEqual(maxCost);
  // Each grading that is under way may still finish one request.
  expect(run.judgeCost!).toBeLessThanOrEqual(maxCost + 8 * COST);
  expect(run.judgeRequests).toBe(endpoint.asked.length);
  const grades = simulations.flatMap((simulation) => simulation.grades).filter(({ counts }) => counts);
  const stopped = grades.filter(({ reason }) => reason.includes("reached the cost limit"));
  expect(stopped.length).toBeGreaterThan(0);
  for (const { verdict } of stopped) expect(verdict).toBe("not_graded");
  const byJudge = grades.filter(({ decidedBy }) => decidedBy === "judge");
  for (const { verdict, votes } of byJudge) if (verdict === "passed") expect(votes).toHaveLength(2);
});

test("a cost limit of zero judges nothing", async () => {
  const { run, simulations } = await played(priced, (await runOn(priced, 1, { maxCost: 0 })).id);
  expect([run.judgeRequests, run.judgeCost, endpoint.asked.length]).toEqual([0, 0, 0]);
  const judged = simulations[0]!.grades.filter(({ counts, decidedBy }) => counts && decidedBy !== "built_in");
  expect(judged.map(({ verdict, decidedBy }) => [verdict, decidedBy])).toEqual(
    [1, 2].map(() => ["not_graded", "none"]),
  );
});

test("an endpoint that reports no usage makes the cost unknown, and a cost limit then stops after its first request", async () => {
  judge = answersWith(passesWithProof, { usage: undefined });
  const free = await played(priced, (await runOn(priced, 1)).id);
  expect(free.run).toMatchObject({ passedVerdicts: 1, judgeRequests: 2, judgeInputTokens: null, judgeCost: null });
  const { simulations, run } = await played(priced, (await runOn(priced, 1, { maxCost: 5 })).id);
  expect(run).toMatchObject({ passedVerdicts: 0, judgeRequests: 1, judgeCost: null });
  const [grade] = simulations[0]!.grades.filter(({ counts }) => counts);
  expect(grade).toMatchObject({ verdict: "not_graded", reason: expect.stringMatching(/no token usage/) });
});

test("a cost limit without known prices is refused with the remedy, also for a plan and under /api", async () => {
  const unpriced = await serverWith({});
  await expect(runOn(unpriced, 1, { maxCost: 1 })).rejects.toThrow(/svc language-model set/);
  await expect(runOn(unpriced, 1, { maxCost: 1, dryRun: "true" })).rejects.toThrow(/svc language-model set/);
  const { run } = await played(unpriced, (await runOn(unpriced, 1)).id);
  expect(run).toMatchObject({ judgeRequests: 2, judgeInputTokens: 2_000, judgeCost: null });
  const target = await chatConnection(priced.client, agent.url);
  const test_versions = await versionsOf(priced.client, [{ scenario: SCENARIO, behaviors: ["Is polite."] }]);
  const made = await startApiRun(priced, {
    test_versions,
    agent: target.agentId,
    connection: target.connectionId,
    max_cost: 0.5,
  });
  expect(made).toMatchObject({ max_cost: 0.5, judge_cost: 0, judge_requests: 0 });
});
