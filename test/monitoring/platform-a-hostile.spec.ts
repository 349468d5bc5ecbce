import { Trace } from "@svc/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type PlatformACall, readCall } from "../../packages/server/src/monitoring/platform-a/call.ts";
import { callToSpans } from "../../packages/server/src/monitoring/platform-a/to-spans.ts";
import { DROPPED, withoutKeys } from "../../packages/server/src/monitoring/platform-a/without-secrets.ts";
import { conversationOf } from "../../packages/server/src/traces/conversation/conversation.ts";
import { createDecoder } from "../../packages/server/src/traces/otlp/decoder.ts";
import { presentTrace } from "../../packages/server/src/traces/present.ts";
import { SpanBatch } from "../../packages/server/src/traces/span-batch.ts";
import { CONTEXT } from "../support/otlp-reference.ts";
import { drawsOfCases, IS_LONG } from "../support/long-form.ts";
import { aCall } from "../support/platform-a/calls.ts";
import { readRows } from "../support/span-rows.ts";
import { spansOfOtlp } from "../support/spans-of-capture.ts";
import { summaryRow } from "../support/summary-row.ts";

const casesOf = drawsOfCases();
const { decodeJson } = createDecoder();

const START_MS = 1_795_251_153_000;
const BODY_LIMIT = 20 << 20;
const ANSWER_LIMIT = 8 << 20;

/** Expects that the decoder accepts all spans of the call, which have one trace id and distinct span ids. */
function expectAccepted(call: PlatformACall): void {
  const body = JSON.stringify(callToSpans(call));
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(BODY_LIMIT);
  const batch = new SpanBatch(8, 1024);
  const { spans } = JSON.parse(body).resourceSpans[0].scopeSpans[0];
  const { accepted, rejected } = decodeJson(Buffer.from(body), batch, CONTEXT);
  expect([accepted, rejected]).toEqual([spans.length, 0]);
  const rows = readRows(batch);
  expect(new Set(rows.map((row) => row.span_id)).size).toBe(spans.length);
  expect(new Set(rows.map((row) => row.trace_id)).size).toBe(1);
}

function expectReadable(call: PlatformACall): void {
  const spans = spansOfOtlp(JSON.parse(JSON.stringify(callToSpans(call))));
  const conversation = conversationOf(spans);
  expect(conversationOf(spans.toReversed())).toEqual(conversation);
  const roles = new Map([
    ["user", "user"],
    ["agent", "agent"],
    ["transfer_target", "third_party"],
  ]);
  const said = call.transcript?.filter(({ role }) => roles.has(role ?? "")) ?? [];
  const textOf = (content: string | undefined) => (content?.trim() ? content.toWellFormed() : null);
  expect(conversation.turns.map(({ role, text }) => [role, text])).toEqual(
    said.map(({ role, content }) => [roles.get(role!), textOf(content)]),
  );
  const shown = presentTrace(summaryRow(), spans, conversation, false, 0);
  expect(Trace.safeParse(JSON.parse(JSON.stringify({ ...shown, spans: [] }))).error).toBeUndefined();
}

/** Generates values as JSON text, because only a parser can create some of them, such as `__proto__` and infinities. */
const odd = fc.constantFrom(
  ..."1e999 -1e999 -0 1e300 1e-300 9007199254740993 null true [[[[]]]] {} []".split(" "),
  '"\\ud800"',
  '"\\u0000"',
  '"[{\\"a\\":1}]"',
  '{"__proto__":{"role":"agent"}}',
  `${"[".repeat(200)}${"]".repeat(200)}`,
  `${'{"a":'.repeat(200)}1${"}".repeat(200)}`,
);
const json = fc.oneof(
  odd,
  fc.json({ maxDepth: 3 }),
  fc.string({ unit: "binary" }).map((text) => JSON.stringify(text)),
);
const record = (members: Record<string, fc.Arbitrary<string>>) =>
  fc.record(members, { requiredKeys: [] }).map(
    (of) =>
      `{${Object.entries(of)
        .map(([name, value]) => `${JSON.stringify(name)}:${value}`)
        .join(",")}}`,
  );
const listOf = (item: fc.Arbitrary<string>, maxLength: number) =>
  fc.array(item, { maxLength }).map((items) => `[${items.join(",")}]`);

const seconds = fc.oneof(fc.double({ min: 0, max: 100, noNaN: true }).map(String), odd);
const word = fc.oneof(record({ word: json, start: seconds, end: seconds }), odd);
const roles = ["agent", "user", "transfer_target", "tool_call_invocation", "tool_call_result", "dtmf", "sms", "new"];
const item = fc.oneof(
  {
    weight: 8,
    arbitrary: record({
      role: fc.oneof(
        fc.constantFrom(...roles).map((role) => `"${role}"`),
        odd,
      ),
      content: json,
      words: fc.oneof(listOf(word, 4), odd),
      tool_call_id: fc.oneof(fc.constantFrom('"1"', '"2"'), odd),
      name: json,
      arguments: json,
      successful: fc.oneof(fc.constantFrom("true", "false"), odd),
      time_sec: seconds,
      ["__proto__"]: json,
    }),
  },
  odd,
);
const distribution = fc.oneof(record({ values: fc.oneof(listOf(seconds, 6), odd), p50: seconds }), odd);
const time = fc.oneof(fc.constantFrom(String(START_MS), String(START_MS + 60_000), "-1", "0", "0.5", "8.64e15"), odd);
const hostileCall = record({
  agent_id: json,
  agent_name: json,
  agent_version: json,
  call_status: fc.oneof(fc.constantFrom('"ended"', '"error"', '"not_connected"'), json),
  start_timestamp: time,
  end_timestamp: time,
  duration_ms: time,
  disconnection_reason: json,
  data_storage_setting: fc.oneof(fc.constantFrom('"everything"', '"basic_attributes_only"'), odd),
  transcript_object: fc.oneof(listOf(item, 8), odd),
  transcript_with_tool_calls: fc.oneof(listOf(item, 12), odd),
  latency: fc.oneof(record({ e2e: distribution, llm: distribution, tts: distribution, new: distribution }), odd),
  llm_token_usage: distribution,
  call_cost: fc.oneof(record({ combined_cost: json }), odd),
  call_analysis: json,
  metadata: json,
  ["__proto__"]: json,
  "svc.session_id": json,
}).map((members) => members.replace("{", members === "{}" ? '{"call_id":"call_1"' : '{"call_id":"call_1",'));

test("the spans of any call are accepted and read back with the turns in order", () => {
  fc.assert(
    fc.property(hostileCall, (text) => {
      const call = readCall(JSON.parse(text))!;
      expect(call.callId).toBe("call_1");
      expectAccepted(call);
      expectReadable(call);
    }),
    { numRuns: IS_LONG ? 400 : 60 },
  );
});

test("JSON without a call id is not a call", () => {
  fc.assert(
    fc.property(json, (text) => {
      expect(readCall(JSON.parse(text))).toBeUndefined();
    }),
  );
});

describe("the largest answer that the client reads", () => {
  const filled = (piece: string) => piece.repeat(Math.floor((ANSWER_LIMIT - 2_000) / piece.length)).replace(/,$/, "");
  const call = (members: string) =>
    `{"call_id":"call_1","call_status":"ended","start_timestamp":${START_MS},"end_timestamp":${START_MS + 1},${members}}`;
  const largest: [name: string, text: string][] = [
    ["empty items", call(`"transcript_object":[${filled("{},")}]`)],
    [
      "tool calls with one id",
      call(`"transcript_object":[${filled('{"role":"tool_call_invocation","tool_call_id":"1"},')}]`),
    ],
    ["short turns", call(`"transcript_object":[${filled('{"role":"user","content":"a"},')}]`)],
    ["a turn of many words", call(`"transcript_object":[{"role":"user","words":[${filled("{},")}]}]`)],
    ["a turn of quotes", call(`"transcript_object":[{"role":"user","content":"${filled('\\"')}"}]`)],
    ["an unknown item of quotes", call(`"transcript_object":[{"role":"new","content":"${filled('\\"')}"}]`)],
    [
      "large turns of two bytes a letter",
      call(`"transcript_object":[${filled(`{"role":"user","content":"${"é".repeat(1_000)}"},`)}]`),
    ],
    ["latencies", call(`"latency":{"e2e":{"values":[${filled("1,")}]}}`)],
    [
      "kinds of latency",
      call(`"latency":{${Array.from({ length: 100_000 }, (_, at) => `"${at}":{"values":[1e20,1e20]}`).join(",")}}`),
    ],
    ["small members", call(Array.from({ length: 300_000 }, (_, at) => `"m${at}":"${"x".repeat(10)}"`).join(","))],
    ["one large member", call(`"metadata":"${filled("\\\\")}"`)],
    [
      "JSON in JSON in JSON",
      call(`"metadata":${JSON.stringify(JSON.stringify(JSON.stringify({ a: "b".repeat(1_000) })))}`),
    ],
    ["nested lists", call(`"metadata":${"[".repeat(500_000)}${"]".repeat(500_000)}`)],
  ];
  test.each(casesOf(largest, 3))(
    "the largest answer that the client reads becomes one accepted body when it is full of %s",
    (_, text) => {
      expectAccepted(readCall(JSON.parse(text))!);
    },
  );
});

describe("a call's credentials", () => {
  const serviceKey = `svc_sk_${"a1B2".repeat(11).slice(0, 43)}`;
  const platformKey = "key_4f0cb7a1d29e58366a4f0cb7";

  test("a call's credentials are removed from every text of an answer: keys of the service and the platform's key, by their value", () => {
    const text = JSON.stringify({ note: `Use ${serviceKey}.`, transcript: `My key is ${platformKey}, I think.` });
    expect(JSON.parse(withoutKeys(text, platformKey))).toEqual({
      note: `Use ${DROPPED}.`,
      transcript: `My key is ${DROPPED}, I think.`,
    });
  });

  test("a call's credentials make the text of their turn and of their tool call unknown, not shorter", () => {
    const call = aCall({ seed: 1, agentId: "a", startMs: START_MS });
    const items = [
      { role: "user", content: `My key is ${DROPPED}.` },
      { role: "tool_call_invocation", tool_call_id: "1", name: "pay", arguments: `{"key":"${DROPPED}"}` },
      { role: "tool_call_result", tool_call_id: "1", content: `{"seen":"${DROPPED}"}` },
    ];
    const spans = JSON.stringify(callToSpans(readCall({ ...call, transcript_with_tool_calls: items })!));
    expect(spans).not.toContain(DROPPED);
    expect(spans).toContain('"pay"');
    expect(spans.match(/platform_a\.credential_removed/g)).toHaveLength(2);
  });

  test("a call's credentials are removed where the platform's API defines a member as secret", () => {
    const call = aCall({ seed: 1, agentId: "a", startMs: START_MS });
    expect(readCall({ ...call, access_token: "hush" })!.others).not.toHaveProperty("access_token");
  });

  test.each([
    "Basic cleaning is fifty dollars, deep cleaning is ninety.",
    "Bearer certificates are at the front desk.",
    "My password is swordfish and my PIN is 4321.",
    "sk-cream-with-extra-chocolate please",
    "See https://example.test/menu?date=2026-06-09&guests=2#lunch for the menu.",
    "-----BEGIN of the form, then the end.",
  ])("a call's credentials are not suspected in ordinary words: %s", (said) => {
    const call = aCall({ seed: 1, agentId: "a", startMs: START_MS });
    const toolArguments = JSON.stringify({ pin: "4321", token: "A7", auth: { code: "x" }, note: said });
    const analysis = { call_summary: said, custom_analysis_data: { pin: "4321", auth_result: "ok" } };
    const read = readCall({
      ...call,
      call_analysis: analysis,
      metadata: { token: "table 5", api_key_name: said },
      transcript_with_tool_calls: [
        { role: "agent", content: said },
        { role: "tool_call_invocation", tool_call_id: "1", name: "verify_pin", arguments: toolArguments },
      ],
    })!;
    expect(read.transcript!.map(({ content, arguments: sent }) => content ?? sent)).toEqual([said, toolArguments]);
    expect(read.analysis).toEqual(analysis);
    expect(read.others["metadata"]).toEqual({ token: "table 5", api_key_name: said });
    const spans = JSON.stringify(callToSpans(read));
    expect(spans).toContain(JSON.stringify(said).slice(1, -1));
    expect(spans).toContain(JSON.stringify(toolArguments).slice(1, -1));
  });
});
