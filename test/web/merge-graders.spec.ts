import { describe, expect, test } from "vitest";
import { draftOf, type GraderContent } from "../../packages/web/src/graders/definition.ts";
import { mergeGraders } from "../../packages/web/src/graders/merge-graders.ts";

const judge = (name: string, criterion: string, passesWhen?: string): GraderContent => ({
  name,
  draft: draftOf({ kind: "llm", criterion, ...(passesWhen !== undefined && { passesWhen }) }),
});
const base = judge("Polite", "The agent is polite.");

describe("a merge of two edits of one grader", () => {
  test("a merge of two edits of one grader takes over the parts that one side changed", () => {
    const mine = judge("Polite", "The agent is polite.", "It greets.");
    const merge = mergeGraders(base, mine, judge("Very polite", "The agent is very polite."));
    expect(merge.conflicts).toEqual([]);
    expect(merge.changes).toEqual([
      { from: "theirs", label: "Name" },
      { from: "theirs", label: "Criterion" },
      { from: "mine", label: "Passes when" },
    ]);
    expect(merge.result({})).toEqual(judge("Very polite", "The agent is very polite.", "It greets."));
  });

  test("a merge of two edits of one grader asks about a part that both changed, and takes the person's text without a choice", () => {
    const [mine, theirs] = [judge("Polite", "It greets."), judge("Polite", "It thanks.")];
    const merge = mergeGraders(base, mine, theirs);
    expect(merge.conflicts).toMatchObject([{ id: "criterion", mine: ["It greets."], theirs: ["It thanks."] }]);
    expect(merge.result({})).toEqual(mine);
    expect(merge.result({ criterion: "theirs" })).toEqual(theirs);
  });

  test("a merge of two edits of one grader takes a definition as a whole when one edit changed its kind", () => {
    const mine: GraderContent = { name: "Polite", draft: draftOf({ kind: "check", check: 'says "please"' }) };
    const merge = mergeGraders(base, mine, judge("Polite", "It thanks."));
    expect(merge.conflicts).toMatchObject([{ id: "definition", label: "Definition" }]);
    expect(merge.result({ definition: "mine" })).toEqual(mine);
    expect(merge.result({ definition: "theirs" })).toEqual(judge("Polite", "It thanks."));
    expect(mergeGraders(base, base, mine).result({})).toEqual(mine);
  });
});
