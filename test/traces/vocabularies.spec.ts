import { Trace, type MeasureName } from "@svc/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { conversationOf } from "../../packages/server/src/traces/conversation/conversation.ts";
import { presentTrace } from "../../packages/server/src/traces/present.ts";
import { cpuTimeMs } from "../support/cpu-time.ts";
import { IS_LONG } from "../support/long-form.ts";
import { measured } from "../support/measured.ts";
import { captureSets, spansOfCapture } from "../support/spans-of-capture.ts";
import { spanIdOf, storedSpan } from "../support/stored-span.ts";
import { summaryRow } from "../support/summary-row.ts";

const FAMILIES = ["platform_a", "platform_b", "pipecat", "openinference", "gen_ai"] as const;

const spanOf = {
  platform_a: storedSpan({
    id: "a",
    name: "agent_turn",
    scopeName: "svc.platform_a",
    attributes: { "platform_a.content": "Hi", "lk.response.text": "Hi" },
  }),
  platform_b: storedSpan({
    id: "b",
    name: "agent_turn",
    attributes: { "lk.response.text": "Hi", "gen_ai.system": "x" },
  }),
  pipecat: storedSpan({
    id: "p",
    name: "tts",
    scopeName: "pipecat",
    attributes: { text: "Hi", "gen_ai.provider.name": "x" },
  }),
  openinference: storedSpan({
    id: "o",
    scopeName: "app",
    attributes: { "openinference.span.kind": "LLM", "gen_ai.system": "x" },
  }),
  gen_ai: storedSpan({ id: "g", scopeName: "app", attributes: { "gen_ai.operation.name": "chat" } }),
};

test.each(FAMILIES.map((name, at) => [name, FAMILIES.slice(at)] as const))(
  "the vocabulary %s reads a conversation with spans of %s, in any order, and gives each turn once",
  (name, families) => {
    const spans = families.map((family) => spanOf[family]);
    for (const received of [spans, spans.toReversed()]) {
      const { vocabulary, turns } = conversationOf(received);
      expect([vocabulary, turns.length]).toEqual([name, 1]);
    }
  },
);

const ROW = summaryRow();

describe("hostile spans of the sender families other than platform_b", () => {
  const calls = captureSets()
    .filter((set) => !/^(js|py)-/.test(set))
    .map(spansOfCapture);
  const all = calls.flat();
  const keys = [...new Set(all.flatMap(({ attributes }) => Object.keys(attributes)))];
  const names = [
    ...new Set(all.map(({ name }) => name)),
    "llm_response",
    "llm_tool_call",
    "llm_tool_result",
    "llm_request",
  ];
  const part = fc.dictionary(
    fc.constantFrom(
      "type",
      "content",
      "text",
      "id",
      "name",
      "arguments",
      "response",
      "function",
      "tool_calls",
      "input",
    ),
    fc.oneof(fc.constantFrom("text", "tool_call", "tool_use", "tool_result", "function_call", "1", ""), fc.jsonValue()),
  );
  const messages = fc.array(
    fc.record(
      {
        role: fc.constantFrom("user", "assistant", "tool", "system", "__proto__", 7),
        content: fc.oneof(fc.constantFrom("a", "b", ""), fc.array(part, { maxLength: 3 }), fc.jsonValue()),
        parts: fc.array(part, { maxLength: 3 }),
        tool_calls: fc.array(part, { maxLength: 2 }),
        tool_call_id: fc.constantFrom("1", "2", null),
      },
      { requiredKeys: ["role"] },
    ),
    { maxLength: 8 },
  );
  const deep = `[{"role":"assistant","tool_calls":[{"id":"1","function":{"arguments":${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}}}]}]`;
  const value = fc.oneof(
    { weight: 4, arbitrary: messages.map((list) => JSON.stringify(list)) },
    fc.jsonValue(),
    fc.constantFrom(
      "user",
      "assistant",
      "LLM",
      "TOOL",
      "AGENT",
      "chat",
      "execute_tool",
      "invoke_agent",
      "__REDACTED__",
    ),
    fc.constantFrom(
      { toString: 1, valueOf: 1 },
      [{ role: {} }],
      deep,
      "[".repeat(10_000),
      NaN,
      -1,
      0,
      1e300,
      "1e999",
      true,
      null,
    ),
  );
  const chatKeys = ["input", "output", "gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.operation.name"];
  const spans = fc
    .array(
      fc.record({
        scopeName: fc.constantFrom("app", "pipecat", "pipecat.turn"),
        name: fc.constantFrom(...names),
        parent: fc.option(fc.nat(12)),
        startMs: fc.nat(5),
        endMs: fc.option(fc.nat(9)),
        status: fc.constantFrom("unset" as const, "error" as const),
        attributes: fc.dictionary(fc.oneof(fc.constantFrom(...chatKeys), fc.constantFrom(...keys)), value, {
          maxKeys: 8,
        }),
      }),
      { maxLength: 12 },
    )
    .map((list) =>
      list.map(({ parent, ...span }, id) =>
        storedSpan({ ...span, id: spanIdOf(id), ...(parent !== null && { parent: spanIdOf(parent) }) }),
      ),
    );

  test("hostile spans of the sender families other than platform_b give a conversation in the contract's shape, and the same conversation in any order", () => {
    const received = spans.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    );
    fc.assert(
      fc.property(received, ([sent, shuffled]) => {
        const conversation = conversationOf(sent);
        expect(conversationOf(shuffled)).toEqual(conversation);
        const shown = presentTrace(ROW, sent, conversation, false, 0);
        expect(Trace.safeParse({ ...JSON.parse(JSON.stringify({ ...shown, spans: [] })) }).error).toBeUndefined();
      }),
      { numRuns: IS_LONG ? 300 : 100 },
    );
  });

  test("hostile spans of the sender families other than platform_b never cause an exception when they replace the attributes of a recorded conversation", () => {
    const replaced = fc.array(fc.tuple(fc.nat(), fc.nat(), value), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.constantFrom(...calls), replaced, (call, replacements) => {
        const spans = [...call];
        for (const [at, key, hostile] of replacements) {
          const span = spans[at % spans.length]!;
          const keys = Object.keys(span.attributes);
          const attributes = { ...span.attributes, [keys[key % keys.length] ?? "input"]: hostile };
          spans[at % spans.length] = { ...span, attributes };
        }
        expect(() =>
          JSON.stringify(conversationOf(spans).toolCalls.map((tool) => [tool.arguments, tool.result])),
        ).not.toThrow();
      }),
      { numRuns: IS_LONG ? 200 : 70 },
    );
  });
});

test("the measures of a recorded call do not change when the call is shifted by years", () => {
  for (const set of captureSets().filter((set) => set.endsWith("-call"))) {
    const call = spansOfCapture(set);
    const byNs = 10n ** 17n;
    const shifted = call.map((span) => ({
      ...span,
      startNs: span.startNs + byNs,
      endNs: span.endNs! + byNs,
      events: span.events.map((event) => ({ ...event, timeNs: event.timeNs + byNs })),
    }));
    const values = (measures: ReturnType<typeof measured>) =>
      (Object.keys(measures) as MeasureName[]).map((name) =>
        measures[name].samples.map(({ value }) => value.toFixed(6)),
      );
    expect(values(measured(shifted))).toEqual(values(measured(call)));
  }
});

test("the time to read a conversation grows with the number of its spans, not its square", async () => {
  const tool = (at: number) => ({ "gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.id": `${at % 7}` });
  const asked = JSON.stringify([
    { role: "assistant", parts: [{ type: "tool_call", id: "1", name: "a", arguments: {} }] },
  ]);
  const chat = (at: number) => ({
    "gen_ai.operation.name": "chat",
    "gen_ai.input.messages": JSON.stringify([{ role: "user", parts: [{ type: "text", content: `${at % 3}` }] }]),
    "gen_ai.output.messages": asked,
  });
  const spans = Array.from({ length: 20_000 }, (_, at) =>
    storedSpan({
      id: `${at}`,
      scopeName: "app",
      startMs: at,
      endMs: at + 5,
      attributes: at % 2 === 0 ? chat(at) : tool(at),
    }),
  );
  const pieces = spans.map((span, at) => ({
    ...span,
    scopeName: "pipecat",
    name: ["stt", "llm", "tts", "turn"][at % 4]!,
  }));
  const realtime = ["llm_tool_call", "llm_tool_result", "llm_response", "stt"];
  const oneTurn = pieces.map((span, at) => ({ ...span, name: realtime[at % 4]!, parentSpanId: "turn" }));
  const turn = storedSpan({ id: "turn", name: "turn", scopeName: "pipecat.turn" });
  for (const conversation of [spans, pieces, [...oneTurn, turn]]) {
    expect(await cpuTimeMs(() => conversationOf(conversation))).toBeLessThan(3_000);
  }
});
