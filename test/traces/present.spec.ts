import { Trace, TraceSummary } from "@svc/contract";
import { describe, expect, test } from "vitest";
import { conversationOf } from "../../packages/server/src/traces/conversation/conversation.ts";
import { presentSummary, presentTrace } from "../../packages/server/src/traces/present.ts";
import type { TraceSummaryRow } from "../../packages/server/src/traces/summary-row.ts";
import { captureSets, spansOfCapture } from "../support/spans-of-capture.ts";
import { EPOCH_NS, storedSpan } from "../support/stored-span.ts";

const row: TraceSummaryRow = {
  traceId: "e87a0e1465e1d06e8d979e00fd1fec2a",
  traceIds: ["e87a0e1465e1d06e8d979e00fd1fec2a"],
  traces: 1,
  conversation: "AJ_123",
  source: "production",
  agent: "clinic",
  agentVersion: null,
  channel: null,
  service: null,
  rootName: null,
  rootEnded: false,
  startedNs: EPOCH_NS,
  endedNs: null,
  spans: 44,
  errors: 0,
  isRead: true,
  turns: null,
  toolCalls: null,
  latency: null,
  textResponse: null,
  interruptions: null,
  qualityTopics: null,
  preview: null,
  reported: null,
  lastReceivedMs: 1_795_251_200_123,
};
const NOW_MS = row.lastReceivedMs + 1_000;

describe.each(captureSets())("the recorded call %s", (set) => {
  test("the recorded call is presented in the contract's shape and does not change through JSON", () => {
    const spans = spansOfCapture(set);
    const shown = presentTrace(row, spans, conversationOf(spans), false, NOW_MS);
    expect(Trace.parse(shown)).toEqual(shown);
    expect(JSON.parse(JSON.stringify(shown))).toEqual(shown);
    expect(shown.spans).toHaveLength(spans.length);
  });
});

test("a summary has null for unknown values, and times to the millisecond", () => {
  const shown = presentSummary({ ...row, endedNs: EPOCH_NS + 1_500_600_000n, errors: 2 }, NOW_MS);
  expect(TraceSummary.parse(shown)).toEqual(shown);
  expect(shown).toMatchObject({
    startedAt: "2026-11-21T08:52:33.000Z",
    endedAt: "2026-11-21T08:52:34.500Z",
    durationMs: 1500.6,
    lastReceivedAt: "2026-11-21T08:53:20.123Z",
    status: "error",
    complete: false,
    turnCount: null,
    toolCallCount: null,
  });
  expect(presentSummary(row, NOW_MS)).toMatchObject({ endedAt: null, durationMs: null, status: "ok" });
});

test("a conversation is final once all spans are read and its root has ended or no span has arrived for ten minutes", () => {
  const stateOf = (change: Partial<TraceSummaryRow>, idleMs: number) =>
    presentSummary({ ...row, ...change }, row.lastReceivedMs + idleMs).state;
  expect(stateOf({}, 599_999)).toBe("provisional");
  expect(stateOf({}, 600_000)).toBe("final");
  expect(stateOf({ rootEnded: true }, 0)).toBe("final");
  expect(stateOf({ rootEnded: true, isRead: false }, 600_000)).toBe("provisional");
});

test("spans are in tree order with their depth, and nanoseconds are text", () => {
  const spans = [
    storedSpan({ id: "child", parent: "root", startMs: 1, endMs: null, kind: 3 }),
    storedSpan({ id: "root", startMs: 1, endMs: 1.000001, kind: 9 }),
    storedSpan({ id: "back", parent: "gone", startMs: 5, endMs: 4 }),
  ];
  const shown = presentTrace(row, spans, conversationOf(spans), false, NOW_MS).spans;
  expect(shown).toMatchObject([
    {
      spanId: "root",
      depth: 0,
      kind: "unspecified",
      endTimeUnixNano: String(EPOCH_NS + 1_000_001n),
      durationMs: 0.000001,
    },
    { spanId: "child", depth: 1, kind: "client", endTimeUnixNano: null, durationMs: null },
    { spanId: "back", depth: 0, parentSpanId: "gone", durationMs: null },
  ]);
});

test("turns and tool calls are counted, unless spans are missing or no vocabulary reads them", () => {
  const spans = spansOfCapture("js-1.9.0-voice");
  const counts = (truncated: boolean, conversation = conversationOf(spans)) => {
    const { turnCount, toolCallCount } = presentTrace(row, spans, conversation, truncated, NOW_MS);
    return [turnCount, toolCallCount];
  };
  expect(counts(false)).toEqual([7, 1]);
  expect(counts(true)).toEqual([null, null]);
  expect(counts(false, conversationOf([]))).toEqual([null, null]);
});

test("a conversation that the service has not read yet shows the beginning of the first words of its caller", () => {
  const conversation = conversationOf(spansOfCapture("js-1.9.0-voice"));
  const shown = presentTrace({ ...row, isRead: false }, [], conversation, false, NOW_MS);
  expect(shown.preview).toBe(conversation.turns.find(({ role, text }) => role === "user" && text !== null)!.text);
  expect(shown.preview).not.toBe("");
});

test("a conversation shows the periods of speech of both parties by start, each with its turn", () => {
  const spans = spansOfCapture("py-1.8.9-voice");
  const { speech, turns } = presentTrace(row, spans, conversationOf(spans), false, NOW_MS);
  expect(speech.map(({ role, turnIndex }) => [role, turnIndex])).toEqual(turns.map(({ role, index }) => [role, index]));
  expect(speech[0]).toMatchObject({ provenance: "measured", durationMs: 1036.44298 });
  expect(speech.map(({ startedAt }) => startedAt)).toEqual(speech.map(({ startedAt }) => startedAt).toSorted());
});
