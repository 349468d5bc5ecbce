import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ChatAgent, type Spoken, startChatAgent, useTool } from "../support/chat-agent.ts";
import { chatConnection, played, type Scenario, startRun, versionsOf } from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
let agent: ChatAgent;
let target: { agentId: string; connectionId: string };
let answer: (spoken: Spoken) => Promise<object>;

beforeAll(async () => {
  server = await startServer();
  agent = await startChatAgent((spoken) => answer(spoken));
  target = await chatConnection(server.client, agent.url);
});
afterAll(async () => {
  agent.stop();
  await server.stop();
});

const SHORT: Scenario = { scenario: "Caller says:\n- Hello.", behaviors: ['says "fine"'] };

describe("mocked tools", () => {
  test("a test's mocks win over the project's, an unmocked call gets an error, and each call is counted", async () => {
    await server.client.mockTools.create({ tool: "look_up", answer: "of the project" });
    await server.client.mockTools.create({ tool: "never_used", answer: 1 });
    const answers: unknown[] = [];
    answer = async (spoken) => {
      if (spoken.event === "start") return {};
      answers.push(await useTool(spoken, "look_up"), await useTool(spoken, "fails"), await useTool(spoken, "unknown"));
      return { message: "fine", ended: true };
    };
    const mockTools = [
      { tool: "look_up", answer: null },
      { tool: "fails", error: "no route" },
    ];
    const testVersions = await versionsOf(server.client, [{ ...SHORT, mockTools }]);
    const run = await startRun(server.client, { ...target, testVersions });
    const [simulation] = (await played(server, run.id)).simulations;
    expect(answers).toEqual([{ result: null }, { error: "no route" }, { error: expect.stringMatching(/not mocked/) }]);
    expect(simulation!.tools).toEqual({
      discovered: ["fails", "look_up", "never_used", "unknown"],
      covered: ["fails", "look_up"],
      uncovered: ["never_used"],
      unmocked: ["unknown"],
    });
  });

  test("mocked tools are called at most as often as one turn allows, even when all calls come at once and answer late", async () => {
    let statuses: number[] = [];
    answer = async ({ event, tools }) => {
      if (event === "start") return {};
      const headers = { authorization: `Bearer ${tools.token}`, "content-type": "application/json" };
      const call = () => fetch(`${tools.url}slow`, { method: "POST", headers, body: "{}" });
      statuses = (await Promise.all(Array.from({ length: 40 }, call))).map(({ status }) => status);
      return { message: "fine", ended: true };
    };
    const mockTools = [{ tool: "slow", answer: 1, delay_ms: 300 }];
    const testVersions = await versionsOf(server.client, [{ ...SHORT, mockTools }]);
    const run = await startRun(server.client, { ...target, testVersions });
    const [simulation] = (await played(server, run.id)).simulations;
    expect(statuses.filter((status) => status === 200)).toHaveLength(32);
    expect(statuses.filter((status) => status === 409)).toHaveLength(8);
    expect(simulation!.toolCalls).toHaveLength(32);
  });

  test("mocked tools answer only the conversation's token, and only while the conversation is in progress", async () => {
    const statuses: number[] = [];
    let last: Spoken | undefined;
    const call = async ({ tools }: Spoken, token: string) => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      statuses.push((await fetch(`${tools.url}look_up`, { method: "POST", headers, body: "{}" })).status);
    };
    answer = async (spoken) => {
      if (spoken.event === "start") return {};
      last = spoken;
      await call(spoken, "wrong");
      await call(spoken, server.adminKey);
      await call(spoken, spoken.tools.token);
      return { message: "fine", ended: true };
    };
    const testVersions = await versionsOf(server.client, [SHORT]);
    const run = await startRun(server.client, { ...target, testVersions });
    await played(server, run.id);
    await call(last!, last!.tools.token);
    expect(statuses).toEqual([401, 401, 200, 401]);
  });
});
