import { Quality } from "@svc/contract";
import { describe, expect, test } from "vitest";
import { conversationOf } from "../../packages/server/src/traces/conversation/conversation.ts";
import { qualityOf } from "../../packages/server/src/traces/conversation/quality.ts";
import type { StoredSpan } from "../../packages/server/src/traces/stored-span.ts";
import { agentSpeaks, agentTurn, session, userSpeaks, userTurn } from "../support/measured.ts";
import { captureSets, spansOfCapture } from "../support/spans-of-capture.ts";
import { EPOCH_NS, storedSpan } from "../support/stored-span.ts";

const FACTS = { rootEnded: true, endedNs: EPOCH_NS, lastReceivedMs: Number(EPOCH_NS / 1_000_000n), truncated: false };

const cardOf = (spans: readonly StoredSpan[], facts: Partial<typeof FACTS> | { endedNs: null } = {}) =>
  qualityOf(conversationOf(spans), { ...FACTS, ...facts });

const notesOf = (...input: Parameters<typeof cardOf>) => cardOf(...input).notes.map(({ about }) => about);

const call = [
  session(),
  userTurn("u", 1000, 2200),
  userSpeaks("u", 1000, 2000),
  agentTurn("a", 2300, 4000),
  agentSpeaks("a", 2700, 4000),
];

test.each(captureSets())(
  "the recorded call %s has a quality card in the contract's shape and no unmapped keys",
  (set) => {
    const card = cardOf(spansOfCapture(set));
    expect(Quality.parse(card)).toEqual(card);
    expect(card.unmappedKeys).toEqual([]);
    expect(card.language).toBe(set.startsWith("js-") ? "javascript" : "python");
    expect(card.contentWithheld).toBe(set.endsWith("withheld"));
  },
);

test("the quality card of a call without problems has no notes", () => {
  expect(cardOf(call).notes).toEqual([]);
});

describe("the quality card notes", () => {
  test("the quality card notes spans of an earlier attempt, which count nowhere else", () => {
    const of = (attempt: unknown, spans: readonly StoredSpan[]) =>
      spans.map((span) => ({
        ...span,
        spanId: `${span.spanId}${attempt}`,
        parentSpanId: span.parentSpanId && `${span.parentSpanId}${attempt}`,
        resource: { ...span.resource, "svc.simulation_attempt": attempt },
      }));
    const first = of(1, [session(), userTurn("x", 100, 200), agentTurn("y", 300, 500)]);
    const last = of("2", call);
    const read = conversationOf([...first, ...last]);
    expect(read).toEqual({ ...conversationOf(last), earlierAttemptSpans: 3 });
    const [note, ...others] = cardOf([...last, ...first]).notes;
    expect([note!.about, others]).toEqual(["earlier_attempts", []]);
    expect(note!.sentence).toMatch(/^3 spans are of an earlier attempt, /);
    expect(notesOf([...of(3, call)])).toEqual([]);
    expect(notesOf([...of(true, call), ...of("x", [])])).toEqual([]);
  });

  test("the quality card names spans that no vocabulary recognises", () => {
    const card = cardOf([storedSpan({ id: "a", scopeName: "my-app" })]);
    expect(card.notes.map(({ about }) => about)).toEqual(["vocabulary"]);
    expect(card).toMatchObject({ generation: null, language: null, contentWithheld: null, unmappedKeys: [] });
  });

  test("the quality card notes delays without a stated unit, with the fact that the unit was inferred from", () => {
    const stated = userTurn("u", 1000, 2200, { "lk.end_of_turn_delay": 200, "lk.transcription_delay": 0 });
    const spans = [...call.filter(({ spanId }) => spanId !== "u"), stated];
    const inferred = (language?: string) =>
      cardOf(spans.map((span) => ({ ...span, resource: { "telemetry.sdk.language": language } }))).unitsInferred;
    const delay = { attribute: "lk.end_of_turn_delay", unit: "milliseconds", by: "span_times" };
    expect(inferred()).toEqual([delay]);
    expect(inferred("python")).toEqual([delay]);
    expect(inferred("nodejs")).toEqual([]);
    const untimed = spans.filter(({ name }) => name !== "user_speaking");
    expect(cardOf(untimed).unitsInferred).toEqual([{ ...delay, by: "size" }]);
    expect(notesOf(spans)).toEqual(["units"]);
  });

  test("the quality card notes content that the sender withheld completely or partly", () => {
    const bare = call.map((span) => ({
      ...span,
      attributes: Object.fromEntries(Object.entries(span.attributes).filter(([key]) => !key.startsWith("lk.pii."))),
    }));
    expect(cardOf(bare)).toMatchObject({ contentWithheld: true, turnsWithoutText: 2 });
    expect(notesOf(bare)).toEqual(["generation", "content"]);
    const half = [...call.slice(0, 3), ...bare.slice(3)];
    expect(cardOf(half)).toMatchObject({ contentWithheld: false, turnsWithoutText: 1 });
    expect(notesOf(half)).toEqual(["content"]);
  });

  test("the quality card notes a missing root span, unless the session span has ended", () => {
    expect(notesOf(call, { rootEnded: false })).toEqual([]);
    expect(notesOf(call.slice(1), { rootEnded: false })).toEqual(["root"]);
    expect(cardOf([session(null), ...call.slice(1)], { rootEnded: false }).rootMissing).toBe(true);
  });

  test("the quality card notes spans that arrived more than a minute after the end", () => {
    const after = (ms: number) => ({ lastReceivedMs: FACTS.lastReceivedMs + ms });
    expect(cardOf(call, after(60_000)).lateSpans).toBe(false);
    expect(cardOf(call, after(61_000))).toMatchObject({
      lateSpans: true,
      notes: [{ about: "late_spans", sentence: expect.stringContaining("61 seconds") }],
    });
    expect(cardOf(call, { ...after(61_000), endedNs: null }).lateSpans).toBeNull();
  });

  test("the quality card notes no late spans while the call goes on", () => {
    const late = { lastReceivedMs: FACTS.lastReceivedMs + 300_000 };
    const { lateSpans, notes } = cardOf([session(null), ...call.slice(1)], { ...late, rootEnded: false });
    expect(lateSpans).toBeNull();
    expect(notes.map(({ about }) => about)).toEqual(["root"]);
  });

  test("the quality card notes unknown keys of the sender family, most frequent first and at most 20", () => {
    const odd = (id: string, keys: string[]) =>
      storedSpan({ id, parent: "session", attributes: Object.fromEntries(keys.map((key) => [key, 1])) });
    const card = cardOf([
      ...call,
      odd("x", ["lk.zeal", "lk.pii.secret", "lk.amd.new"]),
      odd("y", ["lk.zeal", "http.x"]),
    ]);
    expect(card.unmappedKeys).toEqual([
      { key: "lk.zeal", count: 2 },
      { key: "lk.pii.secret", count: 1 },
    ]);
    const many = cardOf([
      ...call,
      odd(
        "z",
        Array.from({ length: 500 }, (_, at) => `lk.${at}${"x".repeat(1000)}`),
      ),
    ]);
    expect([many.unmappedKeyCount, many.unmappedKeys.length]).toEqual([500, 20]);
    expect(JSON.stringify(many).length).toBeLessThan(4000);
  });

  test("the quality card notes a conversation with more spans than were read", () => {
    expect(notesOf(call, { truncated: true })).toEqual(["truncated"]);
  });
});

test("the card says how many turns and tool calls of an imported call lost their text to a credential", () => {
  const scopeName = "svc.platform_a";
  const removed = { "platform_a.credential_removed": true };
  const spans = [
    storedSpan({ id: "call", name: "call", scopeName, endMs: 9_000 }),
    storedSpan({ id: "u", name: "user_turn", scopeName, startMs: 1_000, attributes: removed }),
    storedSpan({ id: "t", name: "tool_call", scopeName, startMs: 2_000, attributes: removed }),
  ];
  const { notes } = cardOf(spans);
  expect(notes.filter(({ about }) => about === "credentials").map(({ sentence }) => sentence)).toEqual([
    "2 turns and tool calls are shown without text, because a key of this service or of the platform was in it.",
  ]);
});
