import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mergeTests } from "../../packages/web/src/test-definitions/merge-tests.ts";
import type { TestContent } from "../../packages/web/src/test-definitions/test-content.ts";

const base: TestContent = {
  name: "Books a room",
  scenario: "Ana calls.\n\nCaller says:\n- Hello.",
  behaviors: ["calls book_room", "ends the call", "responds within 1500 ms p95"],
  personas: ["calm"],
  mockTools: [{ tool: "book_room", answer: { code: 1 }, delay_ms: 0 }],
};

const word = fc.constantFrom("one", "two", "three", "four", "five");
const words = fc.array(word, { maxLength: 5 });
const content: fc.Arbitrary<TestContent> = fc.record({
  name: word,
  scenario: fc.array(word, { minLength: 1, maxLength: 4 }).map((lines) => lines.join("\n")),
  behaviors: words,
  personas: fc.uniqueArray(word),
  mockTools: fc.uniqueArray(
    fc.record({ tool: word, answer: fc.integer({ max: 2, min: 0 }), delay_ms: fc.constant(0) }),
    {
      selector: ({ tool }) => tool,
    },
  ),
});

describe("a merge of two edits of one test", () => {
  test("a merge of two edits of one test takes over what one side changed and asks about what both changed", () => {
    const mine = {
      ...base,
      behaviors: [...base.behaviors.slice(0, 2), "responds within 1800 ms p95"],
      personas: ["calm", "elderly"],
    };
    const theirs = {
      ...base,
      scenario: `${base.scenario}\n- Thank you.`,
      behaviors: [...base.behaviors.slice(0, 2), "responds within 1200 ms p95"],
    };
    const merge = mergeTests(base, mine, theirs);
    expect(merge.conflicts).toEqual([
      {
        id: "behaviors.2",
        label: "Behavior 3",
        base: ["responds within 1500 ms p95"],
        mine: ["responds within 1800 ms p95"],
        theirs: ["responds within 1200 ms p95"],
        canKeepBoth: true,
      },
    ]);
    expect(merge.changes).toEqual([
      { from: "theirs", label: "new scenario line" },
      { from: "mine", label: "Persona elderly added" },
    ]);
    expect(merge.result({})).toEqual({ ...mine, scenario: theirs.scenario });
    expect(merge.result({ "behaviors.2": "theirs" }).behaviors).toEqual(theirs.behaviors);
    expect(merge.result({ "behaviors.2": "both" }).behaviors).toEqual([...theirs.behaviors, mine.behaviors[2]]);
  });

  test("a merge of two edits of one test keeps the behaviors that both sides add", () => {
    const plus = (behavior: string) => ({ ...base, behaviors: [...base.behaviors, behavior] });
    const merge = mergeTests(base, plus("mine"), plus("theirs"));
    expect(merge.conflicts).toEqual([]);
    expect(merge.result({}).behaviors).toEqual([...base.behaviors, "theirs", "mine"]);
  });

  test("a merge of two edits of one test asks about a mock tool that both changed, and about no other", () => {
    const answering = (code: number) => ({
      ...base,
      mockTools: [{ tool: "book_room", answer: { code }, delay_ms: 0 }],
    });
    const mine = {
      ...answering(2),
      mockTools: [...answering(2).mockTools, { tool: "cancel", error: "closed", delay_ms: 0 }],
    };
    const merge = mergeTests(base, mine, answering(3));
    expect(merge.conflicts.map(({ label }) => label)).toEqual(["Mock tool book_room"]);
    expect(merge.result({ "mockTools.book_room": "theirs" }).mockTools).toEqual([
      { tool: "book_room", answer: { code: 3 }, delay_ms: 0 },
      { tool: "cancel", error: "closed", delay_ms: 0 },
    ]);
  });

  test("a merge of two edits of one test is the person's edit when nobody else saved one", () => {
    fc.assert(
      fc.property(content, content, (one, mine) => {
        const merge = mergeTests(one, mine, one);
        const merged = merge.result({});
        expect(merge.conflicts).toEqual([]);
        expect({ ...merged, mockTools: [] }).toEqual({ ...mine, mockTools: [] });
        expect(new Set(merged.mockTools)).toEqual(new Set(mine.mockTools));
      }),
    );
  });

  test("a merge of two edits of one test is the saved test when the person changed nothing", () => {
    fc.assert(
      fc.property(content, content, (one, theirs) => {
        const merge = mergeTests(one, one, theirs);
        expect(merge.conflicts).toEqual([]);
        expect(merge.result({})).toEqual(theirs);
      }),
    );
  });
});
