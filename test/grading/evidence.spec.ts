import { describe, expect, test } from "vitest";
import { decide, parseCheck } from "../../packages/server/src/grading/checks/table.ts";
import { type EvidenceContext, evidenceOf } from "../../packages/server/src/grading/evidence.ts";
import { conversationOf } from "../../packages/server/src/traces/conversation/conversation.ts";
import { measuresOf } from "../../packages/server/src/traces/measures/measures-of.ts";
import { captureSets, spansOfCapture } from "../support/spans-of-capture.ts";

const production: EvidenceContext = {
  ending: null,
  complete: true,
  toolsVisible: true,
  mockedTools: null,
  modality: null,
  scenario: null,
  persona: null,
  date: "2026-06-05",
};

function recorded(set: string, context: Partial<EvidenceContext> = {}) {
  const conversation = conversationOf(spansOfCapture(set));
  return evidenceOf(conversation, measuresOf(conversation), { ...production, ...context });
}

const verdictOf = (behavior: string, evidence: ReturnType<typeof recorded>) =>
  decide(parseCheck(behavior)!, evidence).verdict;

test("words that an interruption cut off do not count as said", () => {
  const evidence = recorded("py-1.8.9-voice");
  expect(verdictOf('says "went on and"', evidence)).toBe("passed");
  expect(verdictOf('says "never seemed to end"', evidence)).not.toBe("passed");
  expect(verdictOf('never says "never seemed to end"', evidence)).not.toBe("failed");
});

describe("the evidence of a conversation", () => {
  test.each(captureSets())("recorded in %s has all turns and tool calls, starts at 0 ms, and survives JSON", (set) => {
    const { turns, toolCalls } = conversationOf(spansOfCapture(set));
    const evidence = recorded(set);
    expect([evidence.turns.length, evidence.toolCalls.length]).toEqual([turns.length, toolCalls.length]);
    expect(evidence.turns[0]!.startMs).toBe(0);
    expect(JSON.parse(JSON.stringify(evidence))).toEqual(evidence);
  });

  test.each(["js-1.9.0-text", "py-1.8.9-text", "py-1.2.18-text"])("recorded in %s decides checks", (set) => {
    const evidence = recorded(set);
    for (const behavior of [
      "calls get_weather before book",
      'says "21 degrees"',
      "says /slot is (taken|gone)/",
      "responds within 1 s",
      "finishes within 6 turns",
    ])
      expect(verdictOf(behavior, evidence), behavior).toBe("passed");
    for (const behavior of ["calls get_weather twice", 'never says "sorry"', "responds within 1 ms"])
      expect(verdictOf(behavior, evidence), behavior).toBe("failed");
  });

  test("the evidence of a conversation with withheld words decides no check about words", () => {
    const evidence = recorded("py-1.8.9-voice-withheld");
    for (const behavior of ['says "21 degrees"', 'never says "21 degrees"'])
      expect(verdictOf(behavior, evidence), behavior).toBe("inconclusive");
    expect(verdictOf("responds within 2 s", evidence)).toBe("passed");
  });

  test("the evidence of a conversation that the service, an outside cause or a cancel ended is partial, and the reason says why", () => {
    for (const by of ["service", "outside", "canceled"] as const)
      expect(recorded("js-1.9.0-text", { ending: { reason: "orphaned", by } }).partial).toMatch(
        /cut short \(orphaned\)/,
      );
    for (const by of ["agent", "caller", "limit"] as const)
      expect(recorded("js-1.9.0-text", { ending: { reason: "x", by } }).partial).toBeNull();
    expect(recorded("js-1.9.0-text", { complete: false }).partial).toBe("The conversation is not complete.");
    expect(evidenceOf(conversationOf([]), measuresOf(conversationOf([])), production).partial).toContain(
      "cannot be read",
    );
  });

  test("the evidence of a conversation marks mocked tool calls, and takes its modality from the connection", () => {
    const evidence = recorded("gen-ai-openai-2.4b0-text", { mockedTools: new Set(["book"]), modality: "text" });
    expect(evidence.toolCalls.map(({ name, mocked }) => [name, mocked])).toEqual([
      ["get_weather", false],
      ["book", true],
    ]);
    expect(verdictOf("responds within 1 s", evidence)).toBe("passed");
    expect(verdictOf("responds within 1 s", recorded("gen-ai-openai-2.4b0-text"))).toBe("inconclusive");
  });
});
