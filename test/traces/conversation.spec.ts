import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { conversationOf, type Conversation } from "../../packages/server/src/traces/conversation/conversation.ts";
import { captureSets, spansOfCapture } from "../support/spans-of-capture.ts";
import { storedSpan } from "../support/stored-span.ts";

const FIXTURES = fileURLToPath(new URL("../fixtures/", import.meta.url));

describe.each(captureSets())("the recorded call %s", (set) => {
  const spans = spansOfCapture(set);
  const conversation = conversationOf(spans);
  const nameOf = new Map(spans.map((span) => [span.spanId, span.name]));
  const isPlatformB = conversation.vocabulary === "platform_b";
  const turnsFrom = (party: string, ...names: string[]) =>
    conversation.turns.filter(
      ({ role, spanIds }) => role === party && (!isPlatformB || spanIds.every((id) => names.includes(nameOf.get(id)!))),
    );

  test("the recorded call has the counts of the table in its README", () => {
    const agentTurns = turnsFrom("agent", "agent_turn", "assistant_turn");
    expect({
      spans: spans.length,
      "trace ids": new Set(spans.map((span) => span.traceId)).size,
      "tool spans": conversation.toolCalls.length,
      speeches: new Set(agentTurns.flatMap((turn) => turn.speechId ?? [])).size,
      "user turns": turnsFrom("user", "user_turn").length,
      "agent turns": agentTurns.filter((turn) => turn.text !== null).length,
    }).toEqual(countsInReadme(set));
  });

  // UPDATE_GOLDEN=1 rewrites the file. Review the difference before you commit it.
  test("the recorded call gives the conversation in its golden file", () => {
    const file = `${FIXTURES}golden/${set}.json`;
    const json = JSON.stringify(conversation, (_key, value) => (typeof value === "bigint" ? `${value}` : value), 2);
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(file, `${json}\n`);
    expect(existsSync(file), "run with UPDATE_GOLDEN=1 to write the golden file").toBe(true);
    expect(JSON.parse(json)).toEqual(JSON.parse(readFileSync(file, "utf8")));
  });

  test("the recorded call gives the same conversation for any order of its spans and any repeated spans", () => {
    const indexes = [...spans.keys()];
    const received = fc.tuple(fc.shuffledSubarray(indexes, { minLength: indexes.length }), fc.subarray(indexes));
    fc.assert(
      fc.property(received, (orders) => {
        expect(conversationOf(orders.flat().map((index) => spans[index]!))).toEqual(conversation);
      }),
      { numRuns: 30 },
    );
  });

  test("the recorded call gives a conversation without an empty text while spans are missing", () => {
    fc.assert(
      fc.property(fc.subarray([...spans.keys()]), (indexes) =>
        isSound(conversationOf(indexes.map((index) => spans[index]!))),
      ),
      { numRuns: 100 },
    );
  });
});

test("a voice call sent as OTLP/JSON gives the same conversation as the call sent as protobuf", () => {
  const [binary, json] = [
    conversationOf(spansOfCapture("js-1.9.0-voice")),
    conversationOf(spansOfCapture("js-1.9.0-voice-json")),
  ];
  expect(words(json)).toEqual(words(binary));
});

test.each([
  ["js-1.6.4-voice", "G1"],
  ["js-1.7.1-voice", "G2"],
  ["py-1.2.18-voice", "G0"],
  ["py-1.3.12-voice", "G1"],
  ["py-1.5.17-voice", "G1"],
  ["py-1.7.1-voice", "G2"],
  ["py-1.8.9-voice", "G3"],
])("the attribute names of %s give the same conversation as those of js-1.9.0-voice", (set, generation) => {
  const [newest, other] = [conversationOf(spansOfCapture("js-1.9.0-voice")), conversationOf(spansOfCapture(set))];
  expect(words(other)).toEqual(words(newest));
  expect([other.generation, newest.generation]).toEqual([generation, "G3"]);
});

test("the oldest and the newest attribute names from Python give the same text conversation", () => {
  const [newest, oldest] = ["py-1.8.9-text", "py-1.2.18-text"].map((set) => conversationOf(spansOfCapture(set)));
  expect(words(oldest!)).toEqual(words(newest!));
});

test("spans that no vocabulary reads give an empty conversation without a vocabulary", () => {
  const spans = [storedSpan({ id: "agent_turn", scopeName: "my-app", attributes: { "http.route": "/lk." } })];
  const empty = { vocabulary: null, generation: null, modality: null, session: null, turns: [], toolCalls: [] };
  expect(conversationOf(spans)).toMatchObject(empty);
  expect(conversationOf([])).toEqual(conversationOf(spans));
});

test("a span's version with an end counts, and an earlier version without an end does not", () => {
  const turn = { id: "a", name: "agent_turn", attributes: { "lk.response.text": "Hello" } };
  const reports = [storedSpan({ ...turn, endMs: null, attributes: {} }), storedSpan({ ...turn, endMs: 9 })];
  for (const spans of [reports, reports.toReversed()]) {
    expect(conversationOf(spans).turns).toMatchObject([{ text: "Hello", endNs: expect.any(BigInt) }]);
  }
});

describe("hostile spans", () => {
  const names = [
    ...new Set(
      captureSets()
        .flatMap(spansOfCapture)
        .map((span) => span.name),
    ),
    "assistant_turn",
    "",
  ];
  const keys = [
    ...new Set(
      captureSets()
        .flatMap(spansOfCapture)
        .flatMap((span) => Object.keys(span.attributes)),
    ),
  ];
  const text = fc.oneof(
    fc.json(),
    fc.string(),
    fc.constantFrom(
      "",
      " ",
      "{",
      '{"items":7}',
      '{"items":[null,{"role":"assistant","content":[7,{}]}]}',
      "1e999",
      "true",
      "NaN",
    ),
    fc.constant("[".repeat(100_000)),
    fc.constant(`${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`),
    fc.constant(
      JSON.stringify({ items: Array.from({ length: 5000 }, () => ({ role: "assistant", content: ["hi"] })) }),
    ),
  );
  const value = fc.oneof(fc.jsonValue(), text, text, fc.constant(Array.from({ length: 50_000 }, () => "x")));
  const spans = fc
    .array(
      fc.record({
        name: fc.constantFrom(...names),
        parent: fc.option(fc.nat(24)),
        startMs: fc.nat(5),
        endMs: fc.option(fc.nat(5)),
        attributes: fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 8 }),
      }),
      { maxLength: 20 },
    )
    .map((list) =>
      list.map(({ parent, ...span }, id) =>
        storedSpan({ ...span, id: String(id), ...(parent !== null && { parent: String(parent) }) }),
      ),
    );

  test("hostile spans never cause an exception, whatever their attributes, times and parents", () => {
    fc.assert(
      fc.property(spans, (received) => isSound(conversationOf(received))),
      { numRuns: 500 },
    );
  });

  test("hostile spans never cause an exception when they replace the attributes of a recorded call", () => {
    const call = spansOfCapture("js-1.6.4-voice");
    const replaced = fc.array(fc.tuple(fc.nat(call.length - 1), fc.nat(20), value), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(replaced, (replacements) => {
        const spans = [...call];
        for (const [index, key, hostile] of replacements) {
          const { attributes } = spans[index]!;
          const keys = Object.keys(attributes);
          spans[index] = { ...spans[index]!, attributes: { ...attributes, [keys[key % keys.length]!]: hostile } };
        }
        isSound(conversationOf(spans));
      }),
      { numRuns: 300 },
    );
  });

  test("hostile spans give the same conversation in any order", () => {
    const twice = spans.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    );
    fc.assert(
      fc.property(twice, ([sent, received]) => {
        expect(conversationOf(received)).toEqual(conversationOf(sent));
      }),
      { numRuns: 200 },
    );
  });
});

function isSound({ turns, toolCalls }: Conversation): void {
  turns.forEach((turn, index) => {
    expect(turn.index).toBe(index);
    if (turn.text !== null) expect(turn.text.trim()).not.toBe("");
    expect(turn.spanIds.length).toBeGreaterThan(0);
  });
  for (const call of toolCalls) {
    if (call.turnIndex !== null) expect(turns[call.turnIndex]!.role).toBe("agent");
    expect(() => JSON.stringify([call.arguments, call.result])).not.toThrow();
  }
}

const words = ({ turns, toolCalls }: Conversation) => ({
  turns: turns.map(({ index, role, text, interrupted }) => ({ index, role, text, interrupted })),
  toolCalls: toolCalls.map((call) => [call.turnIndex, call.name, call.arguments, call.result, call.isError]),
});

function countsInReadme(set: string): Record<string, number> {
  const rows = readFileSync(`${FIXTURES}otlp-captures/README.md`, "utf8")
    .split("\n")
    .map((line) =>
      line
        .split("|")
        .map((cell) => cell.trim().replaceAll("`", ""))
        .slice(1, -1),
    );
  const columns = rows.find((row) => row[1] === "spans")!;
  const counts = rows.find((row) => row[0] === set && row.length === columns.length)!;
  return Object.fromEntries(columns.map((name, column) => [name, Number(counts[column])]).slice(1));
}
