import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { MEASURES, type Trace, type TraceSummary, withoutUnheard } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHome } from "../support/cli.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";
import { until } from "../support/until.ts";
import { exportOf } from "../support/one-turn-export.ts";

const CAPTURES = fileURLToPath(new URL("../fixtures/otlp-captures", import.meta.url));
const VOICE = join(CAPTURES, "js-1.9.0-voice");
const BELL = "\u0007";
const ESCAPE = "\u001b";
const REORDER = "\u202e";

let server: SharedServer;
let home: ReturnType<typeof openHome>;

beforeAll(async () => {
  server = await shareServer();
  home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.projectKey });
});

afterAll(async () => {
  await server?.stop();
  home?.remove();
});

/** Lists the conversations after the service has read all spans. */
async function traces(): Promise<TraceSummary[]> {
  await server.conversationsRead();
  return (await home.json<{ items: TraceSummary[] }>(["traces", "list", "--limit", "100"])).items;
}

/** Returns the recorded conversation that has a tool call. */
async function withToolCall(): Promise<TraceSummary> {
  await home.svc(["traces", "send", VOICE]);
  return until("the conversation", async () => (await traces()).find(({ toolCallCount }) => toolCallCount === 1));
}

function write(name: string, content: string | Uint8Array): string {
  const path = join(home.folder, name);
  writeFileSync(path, content);
  return path;
}

test("an empty list says how to send conversations", async () => {
  const { exitCode, stdout } = await home.svc(["traces", "list", "--search", "nothing like this"]);
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining("Send recorded spans with `svc traces send FILE`")]);
  expect(await home.json(["traces", "list", "--search", "nothing like this"])).toEqual({ items: [], more: false });
});

describe("show", () => {
  test("`traces show` prints a transcript with times, tool calls and interruptions", async () => {
    const call = await withToolCall();
    const { exitCode, stdout } = await home.svc(["traces", "show", call.traceId]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/Agent +clinic\n/);
    expect(stdout).toMatch(
      /0:00\.0 {2}agent {2}Hello, clinic speaking\.\n +0:01\.\d {2}user {3}What is the weather in Paris\?/,
    );
    // The transcript shows the tool call before the words of the answer that used it.
    expect(stdout).toMatch(
      /→ get_weather \{"city":"Paris"\} 1 ms\n +← Paris: sunny, 21C\n +0:0\d\.\d {2}agent {2}It is sunny/,
    );
    expect(stdout).toContain("[interrupted]");
    expect(stdout).not.toContain("tts_request");
    const { stdout: withSpans } = await home.svc(["traces", "show", call.traceId, "--spans"]);
    expect(withSpans).toMatch(/\n +0:0\d\.\d +llm_node \d+ ms\n +0:0\d\.\d + {6}llm_request/);
  });

  test("`traces show` prints each measure with unit, percentiles, sample count and provenance, and why others are unknown", async () => {
    const call = await withToolCall();
    const { measures } = await home.json<Trace>(["traces", "show", call.traceId]);
    const { stdout } = await home.svc(["traces", "show", call.traceId]);
    expect(stdout).toMatch(/\nMEASURE +VALUE +P50 +P95 +N +PROVENANCE\n/);
    for (const { name, summary, provenance, reason } of withoutUnheard(measures)) {
      const { label } = MEASURES[name];
      if (reason === null) expect(stdout).toMatch(new RegExp(`^${label} .* ${summary.n} +${provenance}$`, "m"));
      else expect(stdout).toMatch(new RegExp(`^\\? .*\\b${label}\\b.*: ${reason}$`, "m"));
    }
    expect(stdout).toMatch(/^Response latency +\d+ ms +\? +\? +3 /m);
    expect(stdout).toMatch(/^User interrupts agent +1 in total +/m);
    expect(stdout).toMatch(/^Talk ratio +\d+ % +/m);
    expect(stdout).toMatch(/^Silences +none +/m);
  });

  test("`traces show --wait` shows every span that was sent before", async () => {
    const traceId = "78".repeat(16);
    const path = write("just-sent.json", exportOf(traceId, "Just sent."));
    expect((await home.svc(["traces", "send", path])).exitCode).toBe(0);
    const trace = await home.json<Trace>(["traces", "show", traceId, "--wait", "30"]);
    expect(trace).toMatchObject({ upToDate: true });
    expect(trace.spans.length).toBe(trace.spanCount);
    expect((await home.svc(["traces", "show", traceId, "--wait", "31"])).exitCode).not.toBe(0);
  });

  test("`traces show` marks the words that an interruption cut off", async () => {
    const { traceId } = await withToolCall();
    const { stdout } = await home.svc(["traces", "show", traceId]);
    expect(stdout.replaceAll(/\s+/g, " ")).toMatch(
      /which went on and on \[not heard: and never seemed .*really\.\] \[interrupted\]/,
    );
  });

  test("`traces show` prints a percentile only from enough samples, and the number of unknown samples", async () => {
    const traceId = "88".repeat(16);
    const startMs = Date.now() - 60_000;
    const text = (key: string, value: string) => ({ key, value: { stringValue: value } });
    const call = (at: number, tookMs?: number) => ({
      traceId,
      spanId: `00000000000000c${at}`,
      name: "function_tool",
      startTimeUnixNano: `${startMs + at * 1_000}000000`,
      ...(tookMs && { endTimeUnixNano: `${startMs + at * 1_000 + tookMs}000000` }),
      attributes: [text("lk.function_tool.name", "look")],
    });
    const spans = [...[10, 20, 30, 40, 900].map((tookMs, at) => call(at, tookMs)), call(5)];
    const scopeSpans = [{ scope: { name: "livekit-agents" }, spans }];
    await home.svc([
      "traces",
      "send",
      write("calls.json", JSON.stringify({ resourceSpans: [{ resource: { attributes: [] }, scopeSpans }] })),
    ]);
    await until("the trace", async () => (await traces()).find((trace) => trace.traceId === traceId));
    const { stdout } = await home.svc(["traces", "show", traceId]);
    expect(stdout).toMatch(/^Tool latency +200 ms +30 ms +\? +5 of 6 +measured$/m);
  });

  test("`traces show` prints the data quality of the spans", async () => {
    const { stdout: voice } = await home.svc(["traces", "show", (await withToolCall()).traceId]);
    expect(voice).toMatch(
      /^DATA QUALITY\nVocabulary +LiveKit Agents, javascript\nGeneration +G3\nUnits +`lk\.\S+` was read as/m,
    );
    expect(voice).toMatch(
      /^Content +sent\nRoot span +arrived\nLate spans +Spans arrived \d+ seconds after.*\nUnmapped keys +none$/m,
    );
    const odd = "99".repeat(16);
    const attributes = [
      { key: "lk.speech_id", value: { stringValue: "speech_1" } },
      { key: "lk.brand_new", value: { stringValue: "?" } },
    ];
    await home.svc([
      "traces",
      "send",
      write("odd.json", exportOf(odd, "", { attributes, parentSpanId: "00000000000000b0" })),
    ]);
    await until("the trace", async () => (await traces()).find((trace) => trace.traceId === odd));
    const { stdout } = await home.svc(["traces", "show", odd]);
    expect(stdout).toMatch(/^Generation +The spans do not show which version/m);
    expect(stdout).toMatch(/^Units +as stated\nContent +\?$/m);
    expect(stdout).toMatch(/^Root span +The span of the whole conversation has not arrived/m);
    expect(stdout).toMatch(/^Unmapped keys +The vocabulary does not map 1 key of the platform.*\n +lk\.brand_new$/m);
  });

  test("`traces show` never lets a transcript control the terminal, and JSON keeps every character", async () => {
    const traceId = "55".repeat(16);
    const said = `${ESCAPE}]0;owned${BELL}${ESCAPE}[2J${REORDER}Hello\r\u009b31m there`;
    await home.svc(["traces", "send", write("hostile.json", exportOf(traceId, said))]);
    await until("the conversation", async () => (await traces()).find((trace) => trace.traceId === traceId));
    for (const args of [
      ["traces", "show", traceId, "--spans"],
      ["traces", "list"],
      ["traces", "show", traceId, "--json"],
    ]) {
      const { stdout } = await home.svc(args);
      expect(stdout).toContain("Hello");
      expect(stdout).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e]/u);
    }
    expect((await home.json<Trace>(["traces", "show", traceId])).turns.map(({ text }) => text)).toEqual([said]);
  });

  test("`traces show` refuses an unknown trace, with the command that lists traces", async () => {
    const { exitCode, stderr } = await home.svc(["traces", "show", "66".repeat(16)]);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/There is no "66.*`svc traces list`/)]);
  });
});

test("`traces list` filters, sorts and distinguishes unknown values from zero", async () => {
  const traceId = "77".repeat(16);
  const plain = exportOf(traceId, "", {
    name: "http.request",
    attributes: [],
    status: { code: 2, message: "boom" },
  }).replaceAll("livekit-agents", "billing");
  await home.svc(["traces", "send", write("plain.json", plain)]);
  await until("the trace", async () => (await traces()).find((trace) => trace.traceId === traceId));
  const { stdout } = await home.svc(["traces", "list", "--status", "error", "--from", "1h"]);
  expect(stdout).toMatch(
    /^STARTED +DURATION +ANSWERS IN +SLOWEST +SOURCE +STATE +AGENT +VERSION +CHANNEL +TURNS +TOOLS +ERRORS +OUTCOME +VERDICTS +WORDS +TRACE\n/,
  );
  expect(stdout).toMatch(
    new RegExp(
      `^1 min ago +1\\.5 s +\\? +\\? +production +final +billing +\\? +\\? +\\? +\\? +1 +- +- +\\? +${traceId}$`,
      "m",
    ),
  );
  const { items } = await home.json<{ items: TraceSummary[] }>(["traces", "list", "--sort=-duration"]);
  const durations = items.map(({ durationMs }) => durationMs ?? 0);
  expect(durations).toEqual(durations.toSorted((a, b) => b - a));
});

test("`traces show` names the agents of a hand-off, and shows failed calls and an answer that failed", async () => {
  const set = join(CAPTURES, "py-1.8.9-troubles");
  const files = readdirSync(set).filter((file) => file.endsWith(".decoded.json"));
  for (const file of files) {
    const body = readFileSync(join(set, file), "utf8"); // all recorded sets name the same job, and would be one conversation
    await home.svc(["traces", "send", write(file, body.replaceAll("AJ_123", "AJ_777"))]);
  }
  const call = await until("the call", async () =>
    (await traces()).find(({ conversationId, turnCount }) => conversationId === "AJ_777" && turnCount === 7),
  );
  const { stdout } = await home.svc(["traces", "show", call.traceId]);
  expect(stdout).toMatch(/^ +0:01\.3 {2}agent {2}\(front_desk\) Hello, clinic speaking\.$/m);
  expect(stdout).toMatch(/^ +0:12\.5 {2}agent {2}\(billing\) Billing here/m);
  expect(stdout).toMatch(/✗ language model fake-llm-primary failed: APIConnectionError: The model cannot/);
  expect(stdout).toMatch(/✗ speech synthesis fake-tts-primary failed: APIConnectionError: The voice/);
  expect(stdout).toMatch(/agent {2}\(billing\) \[failed, nothing was said\] APIStatusError: message=/);
});

test("`traces list --search` shows the words around the first match", async () => {
  const traceId = "79".repeat(16);
  const words = `${"I would like a table, ".repeat(3)}in the conservatory please`;
  await home.svc(["traces", "send", write("searched.json", exportOf(traceId, words))]);
  await until("the conversation", async () => (await traces()).find((trace) => trace.traceId === traceId));
  const { stdout } = await home.svc(["traces", "list", "--search", "Conservatory"]);
  expect(stdout).toMatch(new RegExp(` …[a-z ,]{17,24}conservatory please +${traceId}$`, "m"));
});

test("the list shows the text response time of a typed conversation, and metrics have it under its name", async () => {
  const body = readFileSync(join(CAPTURES, "js-1.9.0-text", "text-000.decoded.json"), "utf8");
  await home.svc(["traces", "send", write("typed.json", body.replaceAll("AJ_123", "AJ_778"))]);
  const typed = await until("the call", async () =>
    (await traces()).find(({ conversationId, textResponseTime }) => conversationId === "AJ_778" && textResponseTime),
  );
  expect(typed.responseLatency).toBeNull();
  expect(typed.textResponseTime).toMatchObject({ n: 3, max: expect.closeTo(109.641, 2), p50: null });
  const { stdout } = await home.svc(["traces", "list"]);
  expect(stdout).toMatch(new RegExp(` 40 ms \\(text\\) .* ${typed.traceId}$`, "m"));
  const { stdout: show } = await home.svc(["traces", "show", typed.traceId]);
  expect(show).toMatch(/^Text response time +40 ms +\? +\? +3 +measured$/m);
  const { stdout: metrics } = await home.svc(["metrics", "--measure", "text_response_time", "--days", "900"]);
  expect(metrics).toContain("Text response time");
});

test("`traces delete` erases a conversation only after a confirmation or with --yes", async () => {
  const traceId = "5b8efff798038103d269b63381dead01";
  await home.svc(["traces", "send", write("doomed.json", exportOf(traceId, "Goodbye forever."))]);
  await until("the conversation", async () => (await traces()).find((trace) => trace.traceId === traceId));
  const asked = await home.svc(["traces", "delete", traceId]);
  expect([asked.exitCode, asked.stderr]).toEqual([2, expect.stringContaining("--yes")]);
  expect(await home.json<Trace>(["traces", "show", traceId])).toMatchObject({ traceId });
  const deleted = await home.svc(["traces", "delete", traceId, "--yes"]);
  expect([deleted.exitCode, deleted.stdout]).toEqual([0, expect.stringContaining(traceId)]);
  expect((await home.svc(["traces", "show", traceId])).exitCode).not.toBe(0);
});
