import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type FakePlatformA, openFakePlatformA } from "../support/platform-a/fake.ts";
import { played, startRun, versionsOf } from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { freshName } from "../support/world.ts";

const AGENT = "agent_of_the_platform";

let platform: FakePlatformA;
let server: TestServer;
let target: { agentId: string; connectionId: string };

beforeAll(async () => {
  platform = await openFakePlatformA();
  platform.addAgent(AGENT, "Front desk", "chat");
  server = await startServer({ settings: { SVC_PLATFORM_A_BASE_URL: platform.url } });
  target = await connection();
});
afterAll(async () => {
  await server.stop();
  await platform.close();
});
beforeEach(() => {
  platform.faults.stop();
  platform.requests.length = 0;
  platform.state.reply = (said) => [{ role: "agent", content: `You said: ${said}` }];
});

async function connection(apiKey = platform.apiKey, platformAAgentId = AGENT) {
  const { agent } = await server.client.agents.register({ name: freshName("agent") });
  const made = await server.client.connections.create({
    agentId: agent.id,
    name: "chat",
    connectionType: "platform_a_chat_api",
    accessVariant: "platform_a_chat_api.api_key",
    config: { platformAAgentId },
    credential: { apiKey },
  });
  return { agentId: agent.id, connectionId: made.connection.id };
}

const SCRIPT = "Caller says:\n- Hello.\n- Two nights, please.";

async function simulated(behaviors = ['says "You said"'], more: object = {}) {
  const testVersions = await versionsOf(server.client, [{ scenario: SCRIPT, behaviors }]);
  const { id } = await startRun(server.client, { ...target, testVersions, ...more });
  const { run, simulations } = await played(server, id);
  return { run, simulation: simulations[0]! };
}

const asked = () => platform.requests.map(({ method, path }) => `${method} ${path.replace(/chat_[0-9a-f]+/, "…")}`);

describe("a chat over platform_a", () => {
  test("a chat over platform_a is opened, played and closed, with the agent's tool calls and their results", async () => {
    platform.state.reply = (said) =>
      said.startsWith("Two")
        ? [
            { role: "tool_call_invocation", tool_call_id: "t1", name: "book", arguments: '{"nights":2}' },
            { role: "tool_call_result", tool_call_id: "t1", content: '{"number":"R-7"}', successful: true },
            { role: "tool_call_invocation", tool_call_id: "t2", name: "mail", arguments: "not JSON" },
            { role: "tool_call_result", tool_call_id: "t2", content: "no route", successful: false },
            { role: "node_transition", former_node_name: "a", new_node_name: "b" },
            { role: "agent", content: "Booked as R-7." },
          ]
        : [{ role: "agent", content: "How long?" }];
    const { simulation } = await simulated(["calls book with nights=2", 'says "R-7"']);
    expect(simulation).toMatchObject({ endingReason: "persona_concluded", verdict: "passed" });
    expect(simulation.turns.map(({ text }) => text)).toEqual([
      "Hello.",
      "How long?",
      "Two nights, please.",
      "Booked as R-7.",
    ]);
    expect(simulation.toolCalls).toMatchObject([
      { name: "book", arguments: { nights: 2 }, result: { number: "R-7" }, error: null, turnIndex: 3 },
      { name: "mail", arguments: "not JSON", result: null, error: "no route", turnIndex: 3 },
    ]);
    expect(asked()).toEqual([
      "POST /create-chat",
      "POST /create-chat-completion",
      "POST /create-chat-completion",
      "PATCH /end-chat/…",
    ]);
    expect(platform.state.chats.at(-1)!.chat_status).toBe("ended");
  });

  test.each([
    ["end_call", "agent_ended"],
    ["end_chat", "agent_ended"],
    ["transfer_call", "transferred"],
  ])("a chat over platform_a ends when the agent calls %s", async (name, endingReason) => {
    platform.state.reply = () => [
      { role: "agent", content: "You said goodbye." },
      { role: "tool_call_invocation", tool_call_id: "t1", name, arguments: "{}" },
    ];
    expect((await simulated()).simulation).toMatchObject({ endingReason, verdict: "passed", turnCount: 2 });
  });

  test.each<[string, RegExp, Parameters<FakePlatformA["faults"]["next"]>[0], number, string, string]>([
    [
      "429 passes",
      /^\/create-chat$/,
      { kind: "status", status: 429, retryAfter: "0" },
      2,
      "persona_concluded",
      "passed",
    ],
    ["429 stays", /^\/create-chat$/, { kind: "status", status: 429, retryAfter: "0" }, 9, "rate_limited", "errored"],
    ["500 at the start", /^\/create-chat$/, { kind: "status", status: 500 }, 9, "connection_refused", "errored"],
    ["a broken connection at the start", /^\/create-chat$/, { kind: "reset" }, 9, "connection_refused", "errored"],
    ["500 in the middle", /completion/, { kind: "status", status: 500 }, 9, "agent_error", "failed"],
    ["garbage in the middle", /completion/, { kind: "garbage" }, 9, "agent_error", "failed"],
    ["a huge answer", /completion/, { kind: "huge" }, 9, "agent_error", "failed"],
    ["a hang", /completion/, { kind: "hang" }, 9, "time_limit", "not_graded"],
    ["a hang of the end", /end-chat/, { kind: "hang" }, 9, "persona_concluded", "passed"],
  ])("%s is an ending that says which side caused it", async (_, path, fault, times, endingReason, verdict) => {
    platform.faults.next(fault, { path, times });
    const { run, simulation } = await simulated(undefined, { timeLimitSeconds: 3 });
    expect([simulation.endingReason, simulation.verdict]).toEqual([endingReason, verdict]);
    expect(run.status).toBe("completed");
    // If this machine stalls during an attempt, the service makes another attempt.
    const taken = platform.requestsTo(/^\/create-chat$/).filter(({ status }) => status === 201);
    expect(taken.length).toBeLessThanOrEqual(simulation.attempt);
    // Only a rate limit is a reason to repeat the request.
    const isLimited = fault.kind === "status" && fault.status === 429;
    if (!isLimited) expect(platform.requestsTo(path)).toHaveLength(simulation.attempt);
  });

  test("a chat over platform_a is opened once in an attempt when the answer to the opening is lost", async () => {
    for (const kind of ["reset", "reset_in_body", "hang"] as const) {
      platform.requests.length = 0;
      platform.faults.next({ kind }, { path: /^\/create-chat$/ });
      const { simulation } = await simulated(undefined, { timeLimitSeconds: 2 });
      // If this machine stalls during an attempt, the service makes another attempt.
      expect([kind, platform.requestsTo(/^\/create-chat$/).length]).toEqual([kind, simulation.attempt]);
    }
  });

  test("a chat over platform_a with a wrong key does not fail the agent", async () => {
    const wrong = await connection("key_of_nobody_1234");
    const { run, simulation } = await simulated(undefined, wrong);
    expect(simulation).toMatchObject({ endingReason: "credential_rejected", endedBy: "outside", verdict: "errored" });
    expect(run.failedVerdicts).toBe(0);
    expect(JSON.stringify(simulation)).not.toContain("key_of_nobody");
  });

  test("a chat over platform_a with an agent that the platform does not know does not fail the agent", async () => {
    const { simulation } = await simulated(undefined, await connection(undefined, "agent_of_nobody"));
    expect(simulation).toMatchObject({ endingReason: "connection_refused", verdict: "errored" });
    expect(simulation.message).toMatch(/platformAAgentId/);
  });
});
