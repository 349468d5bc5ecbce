import { LIMITS } from "@svc/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { answerMcp } from "../../packages/cli/src/mcp/http.ts";
import { type Assistant, startAssistant } from "../support/assistant.ts";
import { type ChatAgent, startChatAgent, useTool } from "../support/chat-agent.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

/** Characters of three bytes, in each name and word, so that a limit of characters is none of bytes. */
const wide = (characters: number, start = "") => start + "\u6f22".repeat(characters - start.length);

const TESTS = 50;
/** More than an answer about a run shows. */
const PLAYED = 6;
const SUITE = wide(LIMITS.nameCharacters, "Suite ");
const AGENT = wide(LIMITS.nameCharacters, "Agent ");

let server: TestServer;
let agent: ChatAgent;
let assistant: Assistant;
beforeAll(async () => {
  server = await startServer({
    settings: { SVC_OUTBOUND_PRIVATE: "true" },
    productionPace: { everyMs: 50 },
    groups: { pace: { everyMs: 20 } },
    answerMcp,
  });
  agent = await startChatAgent(async (spoken) => {
    if (spoken.event === "start") return { message: wide(2_000, "Hello ") };
    for (const name of spoken.tools.names) await useTool(spoken, name, { words: wide(1_000) });
    return { message: wide(2_000, "I guarantee it "), ended: spoken.message === "End." };
  });
  assistant = await startAssistant(server);
});
afterAll(async () => {
  await assistant.client.close();
  agent.stop();
  await server.stop();
});

const mocks = Array.from({ length: 8 }, (_, n) => ({ tool: `tool_${n}`, answer: { words: wide(1_000) } }));
const behaviors = Array.from(
  { length: 20 },
  (_, n) => `never says "${"guarantee".slice(0, 9 - (n % 3))}"${" ".repeat(n)}`,
);
const nameOf = (n: number) => wide(LIMITS.nameCharacters, `Test ${n} `);
const fileOf = (n: number) => ({
  path: wide(190, `test-${n}-`) + ".md",
  text: `---\nname: ${nameOf(n)}\nsuite: ${SUITE}\n---\n\n## Scenario\n\nSays: ${wide(300, "Please ")}\nSays: End.\n\n## Expected behaviors\n\n${behaviors.map((one) => `- ${one.trim()}`).join("\n")}\n- says "${wide(400)}"\n`,
});

type Structured = { runId: string; groups: unknown[] };

test(
  "the answer of each tool is under its limit for the largest names, words and lists",
  { timeout: 300_000 },
  async () => {
    const sizes: Record<string, number> = {};
    const call = async (name: string, args: Record<string, unknown> = {}): Promise<Structured> => {
      const result = await assistant.client.callTool({ name, arguments: args }, { timeout: 200_000 });
      expect(result.isError, JSON.stringify(result.content)).not.toBe(true);
      sizes[name] = Math.max(sizes[name] ?? 0, Buffer.byteLength(JSON.stringify(result)));
      return result.structuredContent as Structured;
    };
    const config = { url: agent.url, format: "svc" };
    await call("connect_agent", { agent: AGENT, connectionType: "http_chat", config });
    for (const mock of mocks) await assistant.svc.mockTools.create(mock);
    await call("say", { message: wide(500), furtherMessages: Array.from({ length: 4 }, () => wide(500)) });
    await call("read_behaviors", { behaviors: Array.from({ length: 10 }, () => wide(LIMITS.behaviorCharacters)) });
    const files = Array.from({ length: TESTS }, (_, n) => fileOf(n));
    await call("validate_tests", {
      files: files.map(({ path, text }) => ({ path, text: text.replaceAll("- says", "- says /[/ and") })),
    });
    await call("push_tests", { files });
    await call("write_test", { name: "Written", scenario: "Says: Hello.", expected_behaviors: [wide(1_500)] });
    const run = async () => {
      const { runId } = await call("run_tests", {
        tests: Array.from({ length: PLAYED }, (_, n) => nameOf(n)),
        waitSeconds: 120,
      });
      return runId;
    };
    const [first, second] = [await run(), await run()];
    const { simulations } = await assistant.svc.runs.simulations({ runId: first, pageSize: 1 });
    await call("why_failed", { runId: first });
    await call("why_failed", { simulationId: simulations[0]!.id });
    await call("compare_runs", { runId: first, with: second });
    const { traces } = await assistant.svc.traces.list({ pageSize: 10 });
    await call("find_conversations");
    await call("show_conversation", { traceId: traces[0]!.traceId });
    await call("tests_from_conversations", { traceIds: traces.map(({ traceId }) => traceId) });
    await call("measure");
    await until("there are groups", async () => (await call("groups")).groups.length > 0);
    await call("alerts");
    await call("setup_monitoring", { framework: "livekit_javascript" });
    const { tools } = await assistant.client.listTools();
    expect(Object.keys(sizes).toSorted()).toEqual(tools.map(({ name }) => name).toSorted());
    console.log(
      Object.entries(sizes)
        .map(([name, bytes]) => `${name} ${bytes}`)
        .join(", "),
    );
    for (const [name, bytes] of Object.entries(sizes))
      expect(bytes, name).toBeLessThanOrEqual(name === "why_failed" ? 2_000 : 8_000);
  },
);
