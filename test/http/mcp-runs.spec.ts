import type { Client } from "@modelcontextprotocol/client";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { answerMcp } from "../../packages/cli/src/mcp/http.ts";
import { type Assistant, startAssistant } from "../support/assistant.ts";
import { type ChatAgent, startChatAgent } from "../support/chat-agent.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { freshName } from "../support/world.ts";

type Ran = { isDone: boolean; outcome: string };

let server: TestServer;
const open: Client[] = [];
beforeAll(async () => {
  server = await startServer({ settings: { SVC_OUTBOUND_PRIVATE: "true" }, answerMcp });
});
afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});
afterAll(() => server.stop());

async function assistant(options: Parameters<typeof startAssistant>[1] = {}): Promise<Assistant> {
  const started = await startAssistant(server, options);
  open.push(started.client);
  return started;
}

/** Starts a run that continues until `end` is called. */
async function runOf({ svc, project }: Assistant) {
  const { agent } = await svc.agents.register({ name: freshName("agent"), projectId: project });
  const { connection } = await svc.connections.create({
    agentId: agent.id,
    projectId: project,
    connectionType: "http_chat",
    accessVariant: "http_chat.public",
    config: { url: held.url, format: "svc" },
  });
  const { testSuite } = await svc.suites.create({ name: freshName("suite"), projectId: project });
  const { version_id } = await svc.tests.create({
    name: freshName("test"),
    suite: testSuite.name,
    scenario: "Says: Hello.",
    expected_behaviors: ['says "Bye"'],
    project,
  });
  return svc.runs.create({
    agentId: agent.id,
    connectionId: connection.id,
    testVersions: [version_id],
    projectId: project,
  });
}

let held: ChatAgent;
let release: () => void = () => undefined;
let letGo: Promise<void>;
beforeAll(async () => {
  letGo = new Promise((resolve) => (release = resolve));
  held = await startChatAgent(async ({ event }) => {
    if (event === "start") return { message: "Hello." };
    await letGo;
    return { message: "Bye.", ended: true };
  });
});
afterAll(() => {
  release();
  held.stop();
});

test("a connection that closes cancels the run that its call started, and no other", async () => {
  const one = await assistant({ protocol: "auto" });
  const { run } = (await runOf(one)) as { run: { id: string; agentId: string; connectionId: string } };
  const stop = new AbortController();
  const { agentId: agent, connectionId: connection } = run;
  const { items: tests } = await one.svc.tests.list({ limit: 1, project: one.project });
  const calling = { name: "run_tests", arguments: { agent, connection, tests: [tests[0]!.id] } };
  const canceled = one.client.callTool(calling, { signal: stop.signal });
  const waiting = one.client.callTool({ name: "run_tests", arguments: { runId: run.id } }, { signal: stop.signal });
  const own = await until("the run goes on", async () => {
    const { runs } = await one.svc.runs.list({ pageSize: 2, projectId: one.project });
    return runs.find(({ id, status }) => id !== run.id && status === "running");
  });
  stop.abort();
  await expect(canceled).rejects.toThrow(/abort/i);
  await expect(waiting).rejects.toThrow(/abort/i);
  const statusOf = async (runId: string) => (await one.svc.runs.get({ runId, projectId: one.project })).run.status;
  await until("the own run is canceled", async () => (await statusOf(own.id)) === "canceled");
  expect(await statusOf(run.id)).toBe("running");
});

test("a service that stops ends the wait of a call, and the run goes on at its next start", async () => {
  const first = await startServer({ settings: { SVC_OUTBOUND_PRIVATE: "true" }, answerMcp });
  const one = await startAssistant(first);
  const { run } = (await runOf(one)) as { run: { id: string } };
  const waiting = one.call<Ran>("run_tests", { runId: run.id });
  await until("the run goes on", async () => {
    const { status } = (await one.svc.runs.get({ runId: run.id, projectId: one.project })).run;
    return status === "running";
  });
  const [answer] = await Promise.all([waiting, first.close()]);
  expect(answer).toMatchObject({ isDone: false, outcome: "undecided" });
  expect(answer.text).toContain(`call run_tests with runId "${run.id}"`);
  await one.client.close();
  const second = await startServer({ dataDir: first.dataDir });
  const { status } = (await second.admin.runs.get({ runId: run.id, projectId: one.project })).run;
  expect(status).not.toBe("canceled");
  await second.stop();
  first.remove();
});

test("a key of another project learns nothing: what it may not see answers as what does not exist", async () => {
  const owner = await assistant();
  const { run } = (await runOf(owner)) as { run: { id: string } };
  const other = await assistant();
  const refusal = (runId: string) => other.call("why_failed", { runId }).catch(({ message }: Error) => message);
  const missing = `run_${"0".repeat(26)}`;
  expect(await refusal(run.id)).toBe(await refusal(missing));
  expect(await owner.call("why_failed", { runId: run.id })).toHaveProperty("what");
});
