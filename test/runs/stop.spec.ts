import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type ChatAgent, type Spoken, startChatAgent, useTool } from "../support/chat-agent.ts";
import { answers, type Behavior, fakeEndpoint, hangs } from "../support/language-model/fake-endpoint.ts";
import { judgement } from "../support/language-model/judge-replies.ts";
import { chatConnection, followed, played, startRun, versionsOf } from "../support/runs.ts";
import { keySettings } from "../support/secret.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

/** Much shorter than the time for which a stop waits for requests under way. */
const AT_ONCE_MS = 5_000;

let judge: Behavior = hangs;
let endpoint: Awaited<ReturnType<typeof fakeEndpoint>>;
let agent: ChatAgent;
let answer: (spoken: Spoken) => Promise<object>;
let dataDir: string;
let server: TestServer;
let settings: Record<string, string>;

beforeAll(async () => {
  endpoint = await fakeEndpoint((...asked) => judge(...asked));
  const { baseUrl, apiKey, model } = endpoint.settings;
  settings = {
    SVC_LLM_BASE_URL: baseUrl,
    SVC_LLM_API_KEY: apiKey,
    SVC_LLM_MODEL: model,
    ...keySettings(),
  };
  dataDir = mkdtempSync(join(tmpdir(), "svc-stop-"));
  agent = await startChatAgent((spoken) => (spoken.event === "start" ? {} : answer(spoken)));
  server = await startServer({ settings, dataDir });
});
afterEach(async () => {
  await server.stop();
  server = await startServer({ settings, dataDir });
});
afterAll(async () => {
  await server.stop();
  agent.stop();
  endpoint.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function running(behaviors: string[]) {
  const target = await chatConnection(server.client, agent.url);
  const testVersions = await versionsOf(server.client, [
    { scenario: "Caller says:\n- Hello.", behaviors, mockTools: [{ tool: "look_up", answer: { found: 1 } }] },
  ]);
  return startRun(server.client, { ...target, testVersions, caller: "scripted" });
}

async function stopped(): Promise<number> {
  const startedAt = performance.now();
  await server.stop();
  return performance.now() - startedAt;
}

test("a stop answers a waiting read of events at once and does not say that the run is done", async () => {
  answer = () => new Promise<never>(() => {});
  const { id: runId } = await running(['says "fine"']);
  await until("it is playing", () => agent.heard.some(({ event }) => event === "message"));
  const { next } = await server.client.runs.events({ runId });
  const poll = server.client.runs.events({ runId, after: next + 10, wait: 25 });
  // The answer to this later request shows that the service has already received the earlier one.
  await server.client.runs.get({ runId });
  expect(await stopped()).toBeLessThan(AT_ONCE_MS);
  expect(await poll).toMatchObject({ events: [], done: false });
  answer = async () => ({ message: "I am fine." });
});

test("a conversation that a stop interrupts is played again, and refused tool calls do not fail its agent", async () => {
  const held = Promise.withResolvers<void>();
  const waiting = Promise.withResolvers<void>();
  answer = async (spoken) => {
    waiting.resolve();
    await held.promise;
    // The service may close the connection before it answers.
    await useTool(spoken, "look_up").catch(() => undefined);
    return { message: "I am fine." };
  };
  const { id: runId } = await running(['says "fine"', "calls look_up"]);
  await waiting.promise;
  await until("it is playing", async () => (await server.client.runs.get({ runId })).run.runningCount === 1);
  const stopping = stopped();
  held.resolve();
  expect(await stopping).toBeLessThan(AT_ONCE_MS);
  server = await startServer({ settings, dataDir });
  const { run, simulations } = await played(server, runId);
  expect(run).toMatchObject({ status: "completed", passedVerdicts: 1, failedVerdicts: 0 });
  expect(simulations[0]).toMatchObject({ attempt: 2, endingReason: "persona_concluded" });
});

test("a grading that a stop interrupts is done after the next start", async () => {
  answer = async () => ({ message: "I am fine." });
  judge = hangs;
  const { id: runId } = await running(["Is polite."]);
  await until("the judge is asked", () => endpoint.asked.length > 0);
  expect(await stopped()).toBeLessThan(AT_ONCE_MS);
  judge = answers(judgement("pass", { evidence: [{ turn: 1, quote: "I am fine" }] }));
  server = await startServer({ settings, dataDir });
  const { simulations } = await played(server, runId);
  expect(simulations[0]).toMatchObject({ verdict: "passed", attempt: 1, gradings: 1 });
});

test("a hundred followers of one run receive the same events, each once", async () => {
  const held = Promise.withResolvers<void>();
  answer = async () => {
    await held.promise;
    return { message: "I am fine." };
  };
  const { id: runId } = await running(['says "fine"']);
  const followers = Array.from({ length: 100 }, () => followed(server.client, runId));
  held.resolve();
  const told = await Promise.all(followers);
  const { events } = await server.client.runs.events({ runId });
  for (const all of told) expect(all).toEqual(events);
});
