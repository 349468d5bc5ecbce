import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { answerMcp } from "../../packages/cli/src/mcp/http.ts";
import { startAssistant, type Way } from "../support/assistant.ts";
import { requestsOf } from "../support/captures.ts";
import { spanOf, traceIdOf } from "../support/ingest.ts";
import { attribute } from "../support/otlp.ts";
import { answeredCall, conversation, graded, sendSpans } from "../support/production.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
let folder: string;
const open: Client[] = [];
beforeAll(async () => {
  server = await startServer({
    settings: { SVC_OUTBOUND_PRIVATE: "true" },
    productionPace: { everyMs: 50 },
    answerMcp,
  });
  folder = mkdtempSync(join(tmpdir(), "svc-assistant-tools-"));
});
afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server.stop();
});

async function assistant(way: Way = "http") {
  const started = await startAssistant(server, way === "stdio" ? { folder } : {});
  open.push(started.client);
  return started;
}

type Drafts = {
  drafts: { traceId: string; fileName: string; fileText: string; needJudge: string[]; notes: string[] }[];
  skipped: { traceId: string; reason: string }[];
  moreTraceIds: string[];
};
type Checked = { problems: { problem: string }[]; needJudge: string[] };

describe("measure", () => {
  test("the tool `measure` answers with the pooled measures of a period, for each agent", async () => {
    const { call, svc } = await assistant();
    const startMs = Date.now() - 60_000;
    const latencies = [400, 500, 600, 700, 5_000];
    await sendSpans(
      server,
      svc,
      latencies.flatMap((latencyMs, n) => answeredCall(101 + n, { agent: "Hotel", startMs, latencyMs })),
    );
    const measured = await call<{ measures: object[]; moreMeasures: number }>("measure", {
      measure: "response_latency",
      agent: ["Hotel"],
    });
    expect(measured.measures).toEqual([
      expect.objectContaining({
        agentName: "Hotel",
        measure: "response_latency",
        unit: "ms",
        samples: 5,
        p50: 600,
        p95: null,
        mean: 1_440,
      }),
    ]);
    expect(measured.moreMeasures).toBe(0);
    expect(await call("measure", { agent: ["Nobody"] })).toMatchObject({ measures: [] });
    await expect(call("measure", { measure: "happiness" })).rejects.toThrow(/response_latency/);
  });

  test("the tool `measure` says how many measures it leaves out when there are too many for an answer", async () => {
    const { call, svc } = await assistant();
    const startMs = Date.now() - 60_000;
    const agents = Array.from({ length: 60 }, (_, n) => ({ n, agent: `Agent ${n} ${"with a long name ".repeat(4)}` }));
    await sendSpans(
      server,
      svc,
      agents.flatMap(({ n, agent }) => answeredCall(201 + n, { agent, startMs, latencyMs: 500 })),
    );
    const { measures, moreMeasures } = await call<{ measures: object[]; moreMeasures: number }>("measure", {});
    expect(measures.length).toBeGreaterThan(3);
    expect(measures.length + moreMeasures).toBeGreaterThanOrEqual(60);
  });
});

describe("tests_from_conversations", () => {
  test("drafts a valid test from each recorded conversation, and quotes no personal data", async () => {
    const { call, svc } = await assistant();
    for (const set of ["js-1.9.0-voice", "py-1.8.9-voice", "pipecat-1.14.0-call", "gen-ai-openai-2.4b0-text"])
      for (const body of requestsOf(set)) await svc.traces.ingest(body);
    const PERSONAL = ["anna.meier@example.com", "+49 151 23456789", "4111 1111 1111 1111"];
    const words = [
      ...PERSONAL.map((value) => `Hello, mine is ${value}, thank you.`),
      ...Array.from({ length: 16 }, (_, n) => `I need ${n + 1} rooms on May ${n + 2}.`),
    ];
    const job = (n: number) => attribute("lk.job_id", `drafted-${n}`);
    await sendSpans(
      server,
      svc,
      words.flatMap((said, n) => [
        spanOf(301 + n, 0, { name: "job_entrypoint", attributes: [job(n)] }),
        spanOf(301 + n, 1, { name: "user_turn", attributes: [job(n), attribute("lk.user_transcript", said)] }),
        spanOf(301 + n, 2, { name: "agent_turn", attributes: [job(n), attribute("lk.response.text", `So ${said}`)] }),
      ]),
    );
    const { traces } = await svc.traces.list({ pageSize: 50 });
    expect(traces.length).toBeGreaterThanOrEqual(20);
    const drafts: Drafts["drafts"] = [];
    const skipped: Drafts["skipped"] = [];
    for (let left = traces.map(({ traceId }) => traceId); left.length > 0;) {
      const part = await call<Drafts>("tests_from_conversations", { traceIds: left.slice(0, 10) });
      drafts.push(...part.drafts);
      skipped.push(...part.skipped);
      left = [...part.moreTraceIds, ...left.slice(10)];
    }
    expect(drafts.length + skipped.length).toBe(traces.length);
    expect(drafts.length).toBeGreaterThanOrEqual(19);
    let [behaviors, byJudge] = [0, 0];
    for (const { fileName, fileText: text, needJudge } of drafts) {
      const checked = await call<Checked>("validate_tests", { files: [{ path: fileName, text }] });
      expect(checked, text).toMatchObject({ tests: 1, problems: [], needJudge, notChecked: null });
      behaviors += text.split("\n").filter((line) => line.startsWith("- ") && !line.includes("tool:")).length;
      byJudge += needJudge.length;
      expect(text).toMatch(/^---\n# Drafted from the conversation [0-9a-f]{32}\.\n/);
      for (const value of PERSONAL) expect(text).not.toContain(value);
    }
    expect(drafts.filter(({ fileText }) => fileText.includes("[REPLACE:"))).toHaveLength(PERSONAL.length);
    console.log(
      `drafts: ${drafts.length}, skipped: ${skipped.length}; of ${behaviors} behaviors, ${byJudge} need a judge`,
    );
  });

  test("expects what failed in the conversations of a group, and names one of the two ways", async () => {
    const { call, svc } = await assistant();
    const check = 'never says "guarantee"';
    await svc.graders.create({ name: "Promise", definition: { kind: "check", check }, scope: "production" });
    await sendSpans(server, svc, conversation(401, "I guarantee it."));
    await graded(svc, 401, 1);
    const { drafts } = await call<Drafts>("tests_from_conversations", { traceIds: [traceIdOf(401)] });
    expect(drafts[0]!.fileText).toContain(`- ${check}`);
    await expect(call("tests_from_conversations", {})).rejects.toThrow("Name one of groupId and traceIds");
  });
});

const NEW = {
  name: "Books a room",
  suite: "Booking",
  scenario: "Says: Please book a room.",
  expected_behaviors: ["calls book_room", "is polite"],
};

describe("write_test", () => {
  test("the tool `write_test` writes a new file on the machine of the assistant, and never replaces one", async () => {
    const { call } = await assistant("stdio");
    const path = join(folder, "written", "books.md");
    const written = await call<Checked & { path: string }>("write_test", { path, ...NEW });
    expect(written).toMatchObject({ path, fileText: null, problems: [], needJudge: ["is polite"], notChecked: null });
    expect(readFileSync(path, "utf8")).toContain("suite: Booking");
    expect(await call("validate_tests", { path: join(folder, "written") })).toMatchObject({ tests: 1, problems: [] });
    await expect(call("write_test", { path, ...NEW, name: "Other" })).rejects.toThrow(/exists/);
    expect(readFileSync(path, "utf8")).not.toContain("Other");

    const wrong = join(folder, "written", "wrong.md");
    const refused = await call<Checked>("write_test", {
      path: wrong,
      ...NEW,
      expected_behaviors: ["says /[/"],
    });
    expect(refused).toMatchObject({ path: null, problems: [expect.anything()] });
    expect(existsSync(wrong)).toBe(false);
    await expect(call("write_test", { path: join(folder, ".bashrc"), ...NEW })).rejects.toThrow(/path/);
  });

  test("the tool `write_test` returns the text of the test over HTTP, for `push_tests`", async () => {
    const { call } = await assistant();
    const { fileText } = await call<{ fileText: string }>("write_test", NEW);
    expect(await call("push_tests", { files: [{ path: "books.md", text: fileText }] })).toMatchObject({ created: 1 });
    const long = { ...NEW, name: "Long", scenario: `Says: Hello.\n${"The caller is patient. ".repeat(420)}` };
    await expect(call("write_test", long)).rejects.toThrow(/longer than an answer/);
  });
});

describe.each<Way>(["stdio", "http"])("wrong arguments over %s", (way) => {
  test.each([
    ["measure", { measure: "happiness" }, /^invalid_request: .*`measure`: Use names of measures, .*response_latency/],
    ["write_test", { ...NEW, expected_behaviors: [] }, /`expected_behaviors`: At least 1 item\./],
    ["write_test", { ...NEW, name: 7, suite: null }, /`name`: This must be a text\. `suite`: This must be a text\./],
    ["show_conversation", {}, /^invalid_request: .*`traceId`: This is missing\./],
    ["measure", { agents: ["Hotel"] }, /There is no "agents" here\. Did you mean "agent"\?/],
  ])("write_test refuses %s in one line, which says what to send", async (name, args, words) => {
    const { call } = await assistant(way);
    const message = await call(name, args).then(String, (error: Error) => error.message);
    expect(message).toMatch(words);
    expect(message).toContain(`Correct the arguments of ${name} and call it again.`);
    expect(message).not.toMatch(/\n|Invalid|expected \w+,|received/);
  });
});

test("validate_tests shows as many problems as an answer holds, and how many it leaves out", async () => {
  const { call } = await assistant();
  const files = Array.from({ length: 50 }, (_, n) => ({
    path: `${"é".repeat(190)}${n}.md`,
    text: `---\nname: ${"é".repeat(400)}${n}\n---\n\n## Scenario\n\nSays: Hello.\n\n## Expected behaviors\n\n- says /[/\n`,
  }));
  const { problems, moreProblems } = await call<Checked & { moreProblems: number }>("validate_tests", { files });
  expect(problems.length).toBeGreaterThanOrEqual(2);
  expect(problems.length + moreProblems).toBeGreaterThanOrEqual(50);
});

describe("setup_monitoring", () => {
  test.each([
    [
      "package.json",
      '{"dependencies":{"@livekit/agents":"1.9.0"}}',
      "livekit_javascript",
      /monitor_platform_b\(ctx\);/,
    ],
    ["requirements.txt", "livekit-agents[openai]==1.8.9\n", "livekit_python", /from svc_voice/],
    ["pyproject.toml", 'dependencies = ["pipecat-ai==1.14.0"]', "pipecat", /setup_tracing/],
    ["requirements.txt", "not-livekit-agents\nopentelemetry-sdk\n", "otlp", null],
  ])("the tool `setup_monitoring` finds in %s with %s the framework %s", async (file, manifest, framework, code) => {
    const { call, project } = await assistant("stdio");
    const path = mkdtempSync(join(folder, "worker-"));
    writeFileSync(join(path, file), manifest);
    const lines = await call<{ code: string | null; environment: string; key: string }>("setup_monitoring", { path });
    expect(lines).toMatchObject({ framework, foundIn: file, lastReceivedAt: null });
    if (code === null) expect(lines.code).toBeNull();
    else expect(lines.code).toMatch(code);
    expect(lines.environment).toContain(server.url);
    expect(lines.environment).toContain("svc_sk_…");
    expect(lines.key).toContain(`--permissions ingest --project ${project}`);
  });

  test("the tool `setup_monitoring` says which lines any exporter needs when a folder names no framework, and takes a framework over HTTP", async () => {
    const { call } = await assistant("stdio");
    const path = join(folder, "empty");
    mkdirSync(path);
    expect(await call("setup_monitoring", { path })).toMatchObject({ framework: "otlp", foundIn: null });
    const http = await assistant();
    expect(await http.call("setup_monitoring", { framework: "pipecat" })).toMatchObject({ foundIn: null });
    await expect(http.call("setup_monitoring", { path: "/etc" })).rejects.toThrow(/path|framework/);
  });
});
