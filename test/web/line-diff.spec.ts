import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type DiffLine, lineDiff } from "../../packages/web/src/ui/diff-lines.tsx";

const textOf = ({ parts }: DiffLine) => parts.map(({ text }) => text).join("");
const sideOf = (lines: readonly DiffLine[], other: DiffLine["kind"]) =>
  lines.filter(({ kind }) => kind !== other).map(textOf);

describe("a diff of lines", () => {
  test("a diff of lines marks the changed words of a line that mostly stays", () => {
    expect(lineDiff(["responds within 1500 ms p95"], ["responds within 1200 ms p95"])).toEqual([
      {
        kind: "removed",
        parts: [
          { text: "responds within ", isChanged: false },
          { text: "1500", isChanged: true },
          { text: " ms p95", isChanged: false },
        ],
      },
      {
        kind: "added",
        parts: [
          { text: "responds within ", isChanged: false },
          { text: "1200", isChanged: true },
          { text: " ms p95", isChanged: false },
        ],
      },
    ]);
  });

  test("a diff of lines shows a line that is wholly different without marks", () => {
    expect(lineDiff(["ends the call"], ["never says sorry"]).flatMap(({ parts }) => parts)).toEqual([
      { text: "ends the call", isChanged: false },
      { text: "never says sorry", isChanged: false },
    ]);
  });

  test("a diff of lines leaves out equal lines far from a change and says how many", () => {
    const same = ["a", "b", "c", "d", "e", "f"];
    expect(lineDiff([...same, "x"], [...same, "y"]).map(({ kind }) => kind)).toEqual([
      "gap",
      "same",
      "same",
      "same",
      "removed",
      "added",
    ]);
    expect(textOf(lineDiff([...same, "x"], [...same, "y"])[0]!)).toBe("3 lines are the same");
  });

  test("equal texts show only their number of lines", () => {
    expect(lineDiff(["a", "b"], ["a", "b"]).map(textOf)).toEqual(["2 lines are the same"]);
  });

  test("a diff of lines holds two different texts, each in its order", () => {
    const lines = fc.array(fc.constantFrom("one", "two words", "three more words", ""), { maxLength: 6 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        fc.pre(before.join("\n") !== after.join("\n") || before.length !== after.length);
        const diff = lineDiff(before, after, Infinity);
        expect(sideOf(diff, "added")).toEqual(before);
        expect(sideOf(diff, "removed")).toEqual(after);
      }),
    );
  });
});
