import { afterAll, beforeAll, expect, test } from "vitest";
import { type ChatAgent, startChatAgent, useTool } from "../support/chat-agent.ts";
import { openHome } from "../support/cli.ts";
import { chatConnection, voiceConnection } from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
let home: ReturnType<typeof openHome>;
let agent: ChatAgent;
let ids: string[];
beforeAll(async () => {
  server = await startServer();
  home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.projectKey });
  agent = await startChatAgent(async (spoken, response) => {
    if (spoken.event === "start") return {};
    if (spoken.message === "Goodbye.") return { message: "Bye.", ended: true };
    if (spoken.message === "Break.") {
      response.writeHead(500).end();
      return null;
    }
    if (spoken.message === "For Friday.") await useTool(spoken, "look_up", { day: "Friday" });
    return { message: `You said: ${spoken.message}` };
  });
  await server.client.mockTools.create({ tool: "look_up", answer: { free: true } });
  const { agentId, connectionId } = await chatConnection(server.client, agent.url);
  ids = [agentId, connectionId];
});
afterAll(async () => {
  await server.stop();
  home.remove();
  agent.stop();
});

const talk = (stdin: string, ...flags: string[]) => home.svc(["connections", "talk", ...ids, ...flags], { stdin });

test("each line is said in one conversation, which ends with the input", async () => {
  const { exitCode, stdout } = await talk("A room.\nFor Friday.\n");
  expect([exitCode, stdout]).toEqual([
    0,
    'agent: You said: A room.\ntool look_up({"day":"Friday"}): mocked\nagent: You said: For Friday.\n',
  ]);
  expect(agent.heard.map(({ event }) => event)).toEqual(["start", "message", "message", "end"]);
  expect(new Set(agent.heard.map(({ simulationId }) => simulationId)).size).toBe(1);
});

test("an empty line ends the conversation, and so does the agent; what follows is not said", async () => {
  expect((await talk("A room.\n\nNever said.\n")).stdout).toBe("agent: You said: A room.\n");
  const { exitCode, stdout, stderr } = await talk("Goodbye.\nNever said.\n");
  expect([exitCode, stdout]).toEqual([0, "agent: Bye.\n"]);
  expect(stderr).toContain("The conversation has ended.");
});

test("a conversation that fails says why, with exit code 1; --json has every answer", async () => {
  const { exitCode, stdout } = await talk("A room.\nBreak.\nNever said.\n");
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^agent: You said: A room\.\n.*500/);
  const { answers } = JSON.parse((await talk("A room.\nTwo nights.\n", "--json")).stdout);
  expect(answers.map(({ result, turns }: { result: string; turns: unknown[] }) => [result, turns.length])).toEqual([
    ["works", 2],
    ["works", 2],
    ["works", 0],
  ]);
});

test("a connection with sound is refused, with the command that calls the agent", async () => {
  const { agentId, connectionId } = await voiceConnection(server.client, "ws://127.0.0.1:9/");
  const { exitCode, stderr } = await home.svc(["connections", "talk", agentId, connectionId], { stdin: "Hello.\n" });
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("svc connections try AGENT CONNECTION")]);
});
