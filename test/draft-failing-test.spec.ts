import { draftFailingTest, markPersonalData, type Trace } from "@svc/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseCheck } from "../packages/server/src/grading/checks/table.ts";

type Grade = Parameters<typeof draftFailingTest>[1][number];

const grade = (more: Partial<Grade>): Grade => ({
  criterion: "Answers correctly",
  graderName: "Answers correctly",
  decidedBy: "judge",
  verdict: "failed",
  counts: true,
  evidence: [{ turn: 1, quote: null, toolCall: null }],
  ...more,
});

const TRACE = {
  traceId: "e87a0e1465e1d06e8d979e00fd1fec2a",
  turns: [
    { role: "user", text: "Hello, my name is Ana Silva, born on 3 May 1990. Mail me at ana@example.com." },
    { role: "agent", text: "A suitcase of 32 kilos is free. Anything else?" },
    { role: "user", text: "My card is 4111 1111 1111 1111, call +49 171 5551234." },
  ],
  toolCalls: [
    { name: "find_fare", arguments: { mail: "ana@example.com" }, result: { kilos: 23 }, isError: false },
    { name: "pay", arguments: {}, result: "declined", isError: true },
  ],
} as unknown as Trace;

describe("a draft of a failed conversation", () => {
  test("expects what failed, in forms that code decides first, and only passed tool calls", () => {
    const { test: draft } = draftFailingTest(TRACE, [
      grade({ criterion: "Gives the right allowance.", graderName: "Expected behaviors" }),
      grade({}),
      grade({ criterion: 'says "23"', graderName: "Expected behaviors", decidedBy: "check" }),
      grade({
        criterion: "Unhandled tool error",
        decidedBy: "built_in",
        evidence: [{ turn: null, quote: null, toolCall: 1 }],
      }),
      grade({ criterion: "is fine", verdict: "passed" }),
      grade({ criterion: "does not count", counts: false }),
    ]);
    expect(draft!.expected_behaviors).toEqual([
      'never says "A suitcase of 32 kilos is free"',
      'says "23"',
      "handles an error of pay",
      "Gives the right allowance.",
      'calls find_fare with mail="[REPLACE: mail address]"',
      "finishes within 7 turns",
    ]);
  });

  test("a draft of a failed conversation marks personal data in lines, behaviors and mock tools, and says which kinds it found", () => {
    const { test: draft, notes } = draftFailingTest(TRACE, [grade({})]);
    const text = JSON.stringify(draft);
    expect(text).not.toMatch(/Ana|Silva|1990|example\.com|4111|5551234/);
    expect(draft!.scenario).toContain("Says: Hello, my name is [REPLACE: name], born on [REPLACE: date of birth].");
    expect(notes.join()).toMatch(/mail address.*date of birth|date of birth.*mail address/);
  });

  test("a draft of a conversation that no grader failed says so, and a conversation without words makes no test", () => {
    expect(draftFailingTest(TRACE, []).notes.join()).toContain("No grader decided against");
    expect(draftFailingTest({ ...TRACE, turns: [] }, [grade({})]).test).toBeNull();
  });

  test("a draft of a failed conversation has a behavior that code reads, whatever the agent said", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 400 }), (said) => {
        const turns = [TRACE.turns[0]!, { ...TRACE.turns[1]!, text: `So ${said}` }];
        const { test: draft } = draftFailingTest({ ...TRACE, turns, toolCalls: [] }, [grade({})]);
        expect(parseCheck(draft!.expected_behaviors[0]!)?.form).toBe("says");
      }),
    );
  });
});

test.each([
  ["Call me on 0171 555 1234.", "Call me on [REPLACE: telephone number]."],
  ["five five five one two one two", "[REPLACE: number]"],
  ["ana dot silva at example dot com", "ana dot [REPLACE: mail address]"],
  ["my iban is DE89 3704 0044 0532 0130 00", "my iban is [REPLACE: account number]"],
  ["my name is ana", "my name is [REPLACE: name]"],
  [
    "This is Mrs. Brown, date of birth 12/04/1988",
    "This is Mrs. [REPLACE: name], date of birth [REPLACE: date of birth]",
  ],
  ["A table for 4 at 19:30 on 3 May, room 1204.", "A table for 4 at 19:30 on 3 May, room 1204."],
])("personal data in %j are marked", (text, marked) => {
  expect(markPersonalData(text).text).toBe(marked);
});
