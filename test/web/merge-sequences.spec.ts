import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mergeSequences, type Region } from "../../packages/web/src/editing/merge-sequences.ts";

const list: fc.Arbitrary<string[]> = fc.array(fc.constantFrom("a", "b", "c", "d", "e", "f"), { maxLength: 8 });
const taking = (side: "mine" | "theirs", regions: readonly Region[]) =>
  regions.flatMap((region) => (region.kind === "agreed" ? region.items : region[side]));
const conflictsOf = (regions: readonly Region[]) => regions.filter((region) => region.kind === "conflict");

describe("a merge of two edits of one list", () => {
  test("a merge of two edits of one list takes the items that one side changed, and asks about those that both changed", () => {
    expect(mergeSequences(["a", "b", "c", "d"], ["a", "B", "c", "x"], ["A", "b", "c", "y"])).toEqual([
      { kind: "agreed", from: "theirs", at: 0, base: ["a"], items: ["A"] },
      { kind: "agreed", from: "mine", at: 1, base: ["b"], items: ["B"] },
      { kind: "agreed", from: "base", at: 2, base: ["c"], items: ["c"] },
      { kind: "conflict", at: 3, base: ["d"], mine: ["x"], theirs: ["y"] },
    ]);
  });

  test("a merge of two edits of one list keeps an added item apart from the change of its neighbor", () => {
    const regions = mergeSequences(["a", "b"], ["a", "new", "b"], ["a", "B"]);
    expect(conflictsOf(regions)).toEqual([]);
    expect(taking("mine", regions)).toEqual(["a", "new", "B"]);
  });

  test("a merge of two edits of one list asks about an item that one side removed and the other changed", () => {
    expect(conflictsOf(mergeSequences(["a", "b"], ["a"], ["a", "B"]))).toEqual([
      { kind: "conflict", at: 1, base: ["b"], mine: [], theirs: ["B"] },
    ]);
  });

  test("a merge of two edits of one list is the edit of one side when the other changed nothing", () => {
    fc.assert(
      fc.property(list, list, (base, changed) => {
        expect(taking("theirs", mergeSequences(base, changed, base))).toEqual(changed);
        expect(taking("mine", mergeSequences(base, base, changed))).toEqual(changed);
      }),
    );
  });

  test("a merge of two edits of one list is without a conflict when both sides made the same edit", () => {
    fc.assert(
      fc.property(list, list, (base, changed) => {
        const regions = mergeSequences(base, changed, changed);
        expect(conflictsOf(regions)).toEqual([]);
        expect(taking("mine", regions)).toEqual(changed);
      }),
    );
  });

  test("a merge of two edits of one list covers the base in its order, each item once", () => {
    fc.assert(
      fc.property(list, list, list, (base, mine, theirs) => {
        expect(mergeSequences(base, mine, theirs).flatMap((region) => region.base)).toEqual(base);
      }),
    );
  });

  test("a merge of two edits of one list loses nothing that a person typed, and is the same from the other side", () => {
    fc.assert(
      fc.property(list, list, list, (base, mine, theirs) => {
        const typed = mine.map((item, index) => `${item}${base.includes(item) ? "" : `-${index}`}`);
        const regions = mergeSequences(base, typed, theirs);
        for (const item of typed.filter((one) => !base.includes(one))) expect(taking("mine", regions)).toContain(item);
        const mirrored = mergeSequences(base, theirs, typed);
        expect(taking("mine", regions)).toEqual(taking("theirs", mirrored));
        expect(conflictsOf(regions)).toHaveLength(conflictsOf(mirrored).length);
      }),
    );
  });
});
