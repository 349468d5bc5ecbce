import { randomUUID } from "node:crypto";
import type { Measure, Trace } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readCall } from "../../packages/server/src/monitoring/platform-a/call.ts";
import { callToSpans } from "../../packages/server/src/monitoring/platform-a/to-spans.ts";
import { openHome } from "../support/cli.ts";
import { aCall, type Wire, type WireCall, withheld } from "../support/platform-a/calls.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";

const START_MS = 1_795_251_153_000;

let server: SharedServer;
beforeAll(async () => {
  server = await shareServer();
});
afterAll(() => server.stop());

const made = (members: Wire = {}, seed = 1): WireCall =>
  aCall({
    seed,
    agentId: "agent_1",
    startMs: START_MS,
    exchanges: 6,
    members: { call_id: `call_${randomUUID()}`, ...members },
  });

const bodyOf = (call: WireCall): string => JSON.stringify(callToSpans(readCall(call)!));

/** Sends the call's spans as an exporter would, and returns the resulting conversation. */
async function imported(call: WireCall): Promise<Trace> {
  const body = bodyOf(call);
  const answer = await fetch(`${server.url}/v1/traces`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.projectKey}`, "content-type": "application/json" },
    body,
  });
  expect([answer.status, await answer.json()]).toEqual([200, {}]);
  await server.conversationsRead();
  const { traceId } = JSON.parse(body).resourceSpans[0].scopeSpans[0].spans[0];
  return server.client.traces.get({ traceId });
}

const measure = (trace: Trace, name: Measure["name"]) => trace.measures.find((measure) => measure.name === name)!;
const secondsInto = (time: string) => (Date.parse(time) - START_MS) / 1000;

describe("the conversation of an imported call", () => {
  const call = made();
  const said = call["transcript_with_tool_calls"] as Wire[];
  const latency = call["latency"] as Record<string, { values: number[] }>;
  let trace: Trace;
  beforeAll(async () => {
    trace = await imported(call);
  });

  test("the conversation of an imported call has the call's name, agent and times", () => {
    expect(trace).toMatchObject({
      conversationId: call.call_id,
      agentName: "Front desk",
      serviceName: "platform_a",
      source: "production",
      vocabulary: "platform_a",
      complete: true,
      state: "final",
      durationMs: call["duration_ms"],
    });
    expect(Date.parse(trace.startedAt)).toBe(START_MS);
  });

  test("the conversation of an imported call has the turns of the transcript, in order, at the times of their words", () => {
    const turns = said.filter(({ role }) => role === "user" || role === "agent");
    expect(trace.turns.map(({ role, text }) => [role, text])).toEqual(
      turns.map(({ role, content }) => [role, content]),
    );
    const words = turns.map((turn) => turn["words"] as { start: number; end: number }[]);
    trace.turns.forEach((turn, at) => {
      expect(secondsInto(turn.startedAt)).toBeCloseTo(words[at]!.at(0)!.start, 2);
      expect(secondsInto(turn.endedAt!)).toBeCloseTo(words[at]!.at(-1)!.end, 2);
    });
  });

  test("the conversation of an imported call has the tool calls of the transcript, each in the agent's turn that made it, without a duration", () => {
    const asked = said.filter(({ role }) => role === "tool_call_invocation");
    const answered = said.filter(({ role }) => role === "tool_call_result");
    expect(asked.length).toBeGreaterThan(0);
    const jsonOf = (text: unknown) => (String(text).startsWith("{") ? (JSON.parse(String(text)) as unknown) : text);
    expect(trace.toolCalls.map((tool) => [tool.id, tool.name, tool.arguments, tool.result, tool.isError])).toEqual(
      asked.map((item, at) => [
        item["tool_call_id"],
        item["name"],
        jsonOf(item["arguments"]),
        jsonOf(answered[at]!["content"]),
        !answered[at]!["successful"],
      ]),
    );
    for (const tool of trace.toolCalls) {
      expect(trace.turns[tool.turnIndex!]!.role).toBe("agent");
      expect(tool.durationMs).toBeNull();
    }
    expect(measure(trace, "tool_latency")).toMatchObject({ provenance: "unavailable", samples: [] });
    expect(measure(trace, "tool_errors").provenance).toBe("provider_reported");
  });

  test("the conversation of an imported call has the raw latencies that the platform reports", () => {
    for (const [name, component] of [
      ["response_latency", "e2e"],
      ["llm_time_to_first_token", "llm"],
      ["tts_time_to_first_byte", "tts"],
    ] as const) {
      const { provenance, samples } = measure(trace, name);
      expect([provenance, samples.map(({ value }) => value)]).toEqual([
        "provider_reported",
        latency[component]!.values,
      ]);
    }
    expect(trace.responseLatency!.n).toBe(latency["e2e"]!.values.length);
  });

  test("the conversation of an imported call has approximate measures between words, and no measures for which word times are too coarse", () => {
    for (const name of [
      "talk_ratio",
      "overlap_ratio",
      "words_per_minute",
      "greeting_latency",
      "unanswered_turns",
    ] as const)
      expect([name, measure(trace, name).provenance]).toEqual([name, "approximate"]);
    for (const name of [
      "end_of_utterance_delay",
      "yield_latency",
      "unexplained_latency",
      "transcription_delay",
    ] as const)
      expect([name, measure(trace, name).provenance]).toEqual([name, "unavailable"]);
    expect(trace.measures.filter(({ provenance }) => provenance === "measured")).toEqual([]);
  });

  test("the conversation of an imported call has the platform's report, marked as the platform's", () => {
    const { call_successful, user_sentiment } = call["call_analysis"] as Wire;
    const { values } = call["llm_token_usage"] as { values: number[] };
    expect(trace.callReport).toMatchObject({
      provenance: "provider_reported",
      status: "ended",
      ending: { reason: call["disconnection_reason"] },
      tokens: values.reduce((a, b) => a + b, 0),
      costCents: (call["call_cost"] as Wire)["combined_cost"],
    });
    const verdicts = Object.fromEntries(trace.callReport!.verdicts.map(({ name, value }) => [name, value]));
    expect(verdicts).toMatchObject({
      call_successful,
      user_sentiment,
      custom_analysis_data: { wants_callback: false },
    });
    expect(trace.reportedOutcome).toEqual({
      successful: call_successful,
      ending: call["disconnection_reason"],
      summary: trace.callReport!.summary,
    });
  });

  test("the conversation of an imported call has everything that the platform sent, without its token and its signatures", () => {
    const text = JSON.stringify(trace);
    const [metadata, variables] = ["metadata", "retell_llm_dynamic_variables"].map((name) => call[name] as Wire);
    for (const secret of ["eyJ", "X-Amz-Signature"]) expect(text).not.toContain(secret);
    const sent = [metadata!["customer"], metadata!["crm_api_key"], variables!["portal_password"]];
    for (const value of [...sent, String(call["recording_url"]).split("?")[0]]) expect(text).toContain(value);
    expect(trace.quality.notes).toEqual([]);
  });
});

test("the command line shows how an imported call ended and the platform's verdicts", async () => {
  const { traceId } = await imported(
    made({ disconnection_reason: "call_transfer", from_number: "+41440000001", to_number: "+41440000002" }),
  );
  const home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.projectKey });
  const { stdout } = await home.svc(["traces", "show", traceId]);
  home.remove();
  expect(stdout).toMatch(/Ended +call_transfer \(completed\)/);
  expect(stdout).toMatch(/Numbers +\+41440000001 → \+41440000002/);
  expect(stdout).toMatch(/Summary +\S/);
  expect(stdout).toMatch(/Verdicts +call_successful (true|false), .*from the platform/);
});

test("the same call always gives the same bytes, and later data changes no span", () => {
  const call = made();
  expect(bodyOf(structuredClone(call))).toBe(bodyOf(call));
  const spansOf = (body: string) =>
    JSON.parse(body).resourceSpans[0].scopeSpans[0].spans.map(JSON.stringify) as string[];
  const { call_analysis: _later, ...before } = call;
  const [without, whole] = [spansOf(bodyOf(before as WireCall)), spansOf(bodyOf(call))];
  expect(whole.length).toBe(without.length + 1);
  expect(whole).toEqual(expect.arrayContaining(without));
});

test("a call that is imported twice is one conversation", async () => {
  const call = made();
  const first = await imported(call);
  const second = await imported({ ...call, call_analysis: undefined });
  expect([second.spanCount, second.turns]).toEqual([first.spanCount, first.turns]);
});

test("a call whose content the platform does not store is final and reports the withheld content", async () => {
  const trace = await imported(withheld(made()));
  expect(trace).toMatchObject({ turns: [], toolCalls: [], state: "final" });
  expect(trace.quality.contentWithheld).toBe(true);
  expect(trace.quality.notes).toEqual([
    { about: "content", sentence: expect.stringContaining("set to store no content") },
  ]);
  expect(measure(trace, "response_latency").provenance).toBe("provider_reported");
});

test("a call that the platform ended with an error has that error and its reason", async () => {
  const trace = await imported(made({ call_status: "error", disconnection_reason: "error_llm_websocket_open" }));
  expect(trace.status).toBe("error");
  expect(trace.callReport!.ending).toEqual({ reason: "error_llm_websocket_open", group: "fault" });
});

test("an unknown reason, role and member are kept", async () => {
  const transcript = [
    { role: "agent", content: "Hello", words: [{ word: "Hello", start: 1, end: 1.5 }] },
    { role: "node_transition", former_node_name: "greet", new_node_name: "ask" },
    { role: "whisper", content: "psst" },
    { role: "user", content: "Hi", words: [] },
    { role: "transfer_target", content: "Support here", words: [{ word: "Support", start: 9, end: 9.4 }] },
  ];
  const trace = await imported(
    made({ transcript_with_tool_calls: transcript, disconnection_reason: "moon_phase", star_sign: "Leo" }),
  );
  expect(trace.turns.map(({ role, text, endedAt }) => [role, text, endedAt === null])).toEqual([
    ["agent", "Hello", false],
    ["user", "Hi", true],
    ["third_party", "Support here", false],
  ]);
  expect(trace.callReport!.ending).toEqual({ reason: "moon_phase", group: null });
  const text = JSON.stringify(trace.spans);
  for (const value of ["psst", "greet", "Support here", "Leo"]) expect(text).toContain(value);
});

test("the words of a transfer's target are turns of a third party, and no silence", async () => {
  const spoken = (role: string, content: string, start: number, end: number) => ({
    role,
    content,
    words: [{ word: content, start, end }],
  });
  const trace = await imported(
    made({
      transcript_with_tool_calls: [
        spoken("agent", "I connect you", 1, 2),
        spoken("user", "Thanks", 2.5, 3),
        spoken("transfer_target", "Support here, how can I help?", 4, 40),
        spoken("user", "My bill is wrong", 41, 42),
        spoken("transfer_target", "I see", 42.5, 43),
      ],
    }),
  );
  expect(trace.turns.map(({ role }) => role)).toEqual(["agent", "user", "third_party", "user", "third_party"]);
  expect(measure(trace, "silence").samples).toEqual([]);
  expect(measure(trace, "unanswered_turns").summary.sum).toBe(0);
});

test("a latency that the platform reports only as percentiles is the measure, without samples", async () => {
  const latency = {
    e2e: { num: 7, min: 500, max: 2100, p50: 800, p90: 1900, p95: 2000, p99: 2100 },
    knowledge_base: { num: 3, p50: 120, values: [100, 120, 150] },
  };
  const trace = await imported(made({ latency }));
  expect(measure(trace, "response_latency")).toMatchObject({
    provenance: "provider_reported",
    missing: 7,
    samples: [],
    summary: { n: 7, mean: null, p50: 800, p95: 2000, min: 500, max: 2100 },
  });
  expect(trace.responseLatency).toEqual({ n: 7, mean: null, max: 2100, p50: 800, p95: 2000 });
  const unknown = { min: null, max: null, p90: null, p95: null, p99: null };
  expect(trace.callReport!.latencies).toEqual([
    { component: "e2e", n: 7, min: 500, max: 2100, p50: 800, p90: 1900, p95: 2000, p99: 2100 },
    { component: "knowledge_base", n: 3, ...unknown, p50: 120 },
  ]);
});

test("the tokens of a call are the average times the requests when the platform lists no values", async () => {
  const trace = await imported(made({ llm_token_usage: { average: 812.5, num_requests: 4 } }));
  expect(trace.callReport!.tokens).toBe(3250);
});

test("the platform's facts about a call are on its report", async () => {
  const call = made({
    call_type: "phone_call",
    direction: "inbound",
    from_number: "+41440000001",
    to_number: "+41440000002",
    transfer_destination: "+41440000003",
    metadata: { customer: "c-1", tags: ["vip"] },
    retell_llm_dynamic_variables: { first_name: "Ann" },
    collected_dynamic_variables: { plan: "gold" },
    recording_url: "https://files.example.com/a.wav",
    recording_multi_channel_url: "https://files.example.com/b.wav",
    public_log_url: "https://files.example.com/log.txt",
    call_analysis: { call_summary: "Ann changed her plan.", user_sentiment: "Positive" },
    call_cost: { combined_cost: 12.5, product_costs: [{ product: "tts", cost: 4.5, unit_price: 0.1 }] },
  });
  const { callReport } = await imported(call);
  expect(callReport).toMatchObject({
    callType: "phone_call",
    direction: "inbound",
    fromNumber: "+41440000001",
    toNumber: "+41440000002",
    transferDestination: "+41440000003",
    metadata: { customer: "c-1", tags: ["vip"] },
    dynamicVariables: { first_name: "Ann" },
    collectedVariables: { plan: "gold" },
    recordings: [
      { name: "recording_multi_channel_url", url: "https://files.example.com/b.wav" },
      { name: "recording_url", url: "https://files.example.com/a.wav" },
    ],
    logUrl: "https://files.example.com/log.txt",
    summary: "Ann changed her plan.",
    sentiment: "Positive",
    costCents: 12.5,
    costs: [{ product: "tts", cents: 4.5 }],
  });
});

test("turns without word times keep their order and have no end", async () => {
  const lines = ["a", "b", "c", "d", "e", "f"].map((content, at) => ({ role: at % 2 ? "user" : "agent", content }));
  const trace = await imported(made({ transcript_with_tool_calls: lines, latency: undefined }));
  expect(trace.turns.map(({ text }) => text)).toEqual(lines.map(({ content }) => content));
  expect(trace.turns.every(({ endedAt }) => endedAt === null)).toBe(true);
  expect(measure(trace, "response_latency").provenance).toBe("unavailable");
  expect(measure(trace, "talk_ratio").provenance).toBe("unavailable");
});
