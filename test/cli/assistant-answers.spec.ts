import type { Client } from "@modelcontextprotocol/client";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { answerMcp } from "../../packages/cli/src/mcp/http.ts";
import { startAssistant } from "../support/assistant.ts";
import { startChatAgent, useTool } from "../support/chat-agent.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
const open: Client[] = [];
beforeAll(async () => {
  server = await startServer({ settings: { SVC_OUTBOUND_PRIVATE: "true" }, answerMcp });
});
afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});
afterAll(() => server.stop());

async function assistant() {
  const started = await startAssistant(server);
  open.push(started.client);
  return started;
}

test("a conversation goes on with its id, in the same session of the agent, until the agent ends it", async () => {
  const { call } = await assistant();
  const counting = await startChatAgent(({ event, turn, message }) =>
    event === "start" ? {} : { message: `Message ${turn}.`, ended: message === "Goodbye." },
  );
  const config = { url: counting.url, format: "svc" };
  const agentName = "Counts messages";
  await call("connect_agent", { agent: agentName, connectionType: "http_chat", config });
  type Said = { answer: string; conversationId: string | null };
  const say = (message: string, conversationId?: string | null) =>
    call<Said>("say", { agent: agentName, message, ...(conversationId && { conversationId }) });
  const first = await say("A room.");
  const second = await say("Two nights.", first.conversationId);
  const another = await say("A table.");
  const last = await say("Goodbye.", second.conversationId);
  expect([first, second, another, last].map(({ answer }) => answer)).toEqual([
    "Message 1.",
    "Message 2.",
    "Message 1.",
    "Message 3.",
  ]);
  expect([second.conversationId, last.conversationId]).toEqual([first.conversationId, null]);
  await expect(say("Still there?", first.conversationId)).rejects.toThrow(/No conversation with this id is open/);
  counting.stop();
});

test("run_tests and why_failed name each different failure of a run once, with what was decided and said", async () => {
  const agent = await startChatAgent(async (spoken) => {
    if (spoken.event === "start") return {};
    if (/room/.test(spoken.message!)) {
      await useTool(spoken, "book_room", { day: "Tuesday" });
      return { message: "Booked for Tuesday." };
    }
    return { message: "Two tablets a day are fine." };
  });
  const { call, svc } = await assistant();
  await call("connect_agent", {
    agent: "Clinic",
    connectionType: "http_chat",
    config: { url: agent.url, format: "svc" },
  });
  const names = ["Last day counts", "No advice", "Friendly", "Books"];
  const behaviors = ["calls book_room with day=Thursday", 'says "ask the doctor"', "is friendly", "calls book_room"];
  for (const [at, name] of names.entries())
    await svc.tests.create({
      name,
      scenario: `Says: ${at === 1 ? "How many tablets may I take?" : "A room on Tuesday, no, Thursday."}`,
      expected_behaviors: [behaviors[at]!],
      mock_tools: [{ tool: "book_room", answer: {} }],
    });
  type Failed = { test: string; passed: number; failed: number; undecided: number; behavior: string; reason: string };
  const run = await call<{ runId: string; failures: Failed[]; moreFailures: number }>("run_tests", {
    tests: names,
    iterations: 3,
  });
  const none = { passed: 0, failed: 0, undecided: 0 };
  expect(run.failures).toMatchObject([
    { ...none, test: "Last day counts", failed: 3, behavior: behaviors[0], reason: expect.stringContaining("Tuesday") },
    { ...none, test: "No advice", failed: 3, behavior: behaviors[1] },
    { ...none, test: "Friendly", undecided: 3, behavior: behaviors[2] },
  ]);
  expect(run.moreFailures).toBe(0);

  type Why = {
    failures: { test: string; simulations: number; behaviors: { reason: string }[]; turns: string[] }[];
    further: { test: string; simulations: number }[];
    moreFailures: number;
  };
  const why = await call<Why>("why_failed", { runId: run.runId });
  expect([...why.failures, ...why.further].map(({ test: name, simulations }) => [name, simulations])).toEqual(
    names.slice(0, 3).map((name) => [name, 3]),
  );
  expect(why.moreFailures).toBe(0);
  expect(why.failures[0]!.behaviors[0]!.reason).toMatch(/It was called with .*"day":"Tuesday"/);
  expect(why.failures[0]!.turns).toEqual(["caller: A room on Tuesday, no, Thursday.", "agent: Booked for Tuesday."]);
  expect(why.failures[1]!.turns.at(-1)).toBe("agent: Two tablets a day are fine.");
  agent.stop();
});

test("why_failed names the last run in which the test passed, and what has changed since", async () => {
  let books = true;
  const agent = await startChatAgent(async (spoken) => {
    if (spoken.event === "start") return { message: "Hello." };
    if (books) await useTool(spoken, "book_room", {});
    return { message: "Done.", ended: true };
  });
  const { call, svc } = await assistant();
  await call("connect_agent", {
    agent: "Desk",
    connectionType: "http_chat",
    config: { url: agent.url, format: "svc" },
  });
  const { id, version_id } = await svc.tests.create({
    name: "Books",
    scenario: "Says: Book a room.",
    expected_behaviors: ["calls book_room"],
    mock_tools: [{ tool: "book_room", answer: {} }],
  });
  const run = async () => (await call<{ runId: string }>("run_tests", { tests: ["Books"] })).runId;
  type Why = { failures: { lastPass: { runId: string; changed: string[] } | null }[] };
  const lastPassOf = async (runId: string) => (await call<Why>("why_failed", { runId })).failures[0]!.lastPass;

  books = false;
  expect(await lastPassOf(await run())).toBeNull();
  books = true;
  const passed = await run();
  books = false;
  expect(await lastPassOf(await run())).toMatchObject({ runId: passed, changed: [] });
  await svc.tests.edit({
    testId: id,
    expected_version_id: version_id,
    expected_behaviors: ["calls book_room", 'says "Done"'],
  });
  const after = await lastPassOf(await run());
  expect(after).toMatchObject({ runId: passed });
  expect(after!.changed.join()).toMatch(/version 1, now 2/);
  agent.stop();
});
