import { afterAll, beforeAll, expect, test } from "vitest";
import { answersWith, fakeEndpoint } from "../support/language-model/fake-endpoint.ts";
import { passesWithProof } from "../support/language-model/judge-replies.ts";
import { type ChatAgent, startChatAgent } from "../support/chat-agent.ts";
import { chatConnection, type NewRun, played, startRun, versionsOf } from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";

const USAGE = { prompt_tokens: 1_000, completion_tokens: 100 };
/**
 * The cost of a simulation with one judged behavior: two votes. Each has 1,000 input tokens at 2 and 100 output tokens at 10 per
 * million.
 */
const SIMULATION_COST = 2 * 0.003;

let endpoint: Awaited<ReturnType<typeof fakeEndpoint>>;
let agent: ChatAgent;
let server: TestServer;
beforeAll(async () => {
  endpoint = await fakeEndpoint(answersWith(passesWithProof, { usage: USAGE }));
  const { baseUrl, apiKey, model } = endpoint.settings;
  agent = await startChatAgent((spoken) => (spoken.event === "start" ? {} : { message: "Of course, a room for two." }));
  server = await startServer({
    settings: {
      SVC_LLM_BASE_URL: baseUrl,
      SVC_LLM_API_KEY: apiKey,
      SVC_LLM_MODEL: model,
      SVC_LLM_PRICE_INPUT: "2",
      SVC_LLM_PRICE_OUTPUT: "10",
    },
  });
});
afterAll(async () => {
  agent.stop();
  endpoint.stop();
  await server.stop();
});

async function planOf(run: NewRun) {
  const answer = await server.client.runs.create({ ...run, dryRun: "true" });
  if (!("plan" in answer)) throw new Error("the service started a run instead of a plan");
  return answer.plan;
}

test("a plan knows the duration and the cost once the connection has played, and says that it does not before", async () => {
  const target = await chatConnection(server.client, agent.url);
  const scenario = "Caller says: I'd like a room.";
  const judged = await versionsOf(server.client, [{ scenario, behaviors: ["Is polite to the caller."] }]);
  const wanted = { ...target, testVersions: judged, caller: "scripted" as const, concurrency: 1 };
  expect(await planOf(wanted)).toMatchObject({ estimatedSeconds: null, estimatedJudgeCost: null });

  const { simulations } = await played(server, (await startRun(server.client, { ...wanted, iterations: 2 })).id);
  const seconds = simulations.reduce((sum, { durationMs }) => sum + durationMs! / 1000, 0) / 2;
  const plan = await planOf({ ...wanted, iterations: 10 });
  expect(plan.estimatedSeconds).toBeCloseTo(10 * seconds, 3);
  expect(plan.estimatedJudgeCost).toBeCloseTo(10 * SIMULATION_COST, 10);
  expect((await planOf({ ...wanted, iterations: 10, concurrency: 5 })).estimatedSeconds).toBeCloseTo(2 * seconds, 3);
  expect((await planOf({ ...wanted, concurrency: 50 })).estimatedSeconds).toBeCloseTo(seconds, 3);

  const byCode = await versionsOf(server.client, [{ scenario, behaviors: ['says "room"'] }]);
  const checked = await planOf({ ...wanted, testVersions: byCode });
  expect(checked.estimatedSeconds).toBeCloseTo(seconds, 3);
  expect(checked.estimatedJudgeCost).toBe(0);
});
