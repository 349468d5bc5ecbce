import { describe, expect, test } from "vitest";
import { moved, pasted, removed, splitAt } from "../../packages/web/src/test-definitions/behavior-edits.ts";

describe("the list of behaviors", () => {
  test("Return at the end adds an empty behavior below, and inside a sentence splits it", () => {
    expect(splitAt(["ends the call", "b"], 0, 13)).toEqual({ behaviors: ["ends the call", "", "b"], focus: 1 });
    expect(splitAt(["says hi calls x"], 0, 7)).toEqual({ behaviors: ["says hi", "calls x"], focus: 1 });
  });

  test("the last behavior that is removed leaves an empty one", () => {
    expect(removed(["a", "", "c"], 1)).toEqual({ behaviors: ["a", "c"], focus: 0 });
    expect(removed([""], 0)).toEqual({ behaviors: [""], focus: 0 });
  });

  test("a behavior moves by one and stays at the edges", () => {
    expect(moved(["a", "b", "c"], 1, -1)).toEqual({ behaviors: ["b", "a", "c"], focus: 0 });
    expect(moved(["a", "b"], 1, 1)).toEqual({ behaviors: ["a", "b"], focus: 1 });
  });

  test("pasted lines become behaviors without their bullets, inside the text around the cursor", () => {
    expect(pasted(["x", ""], 1, { start: 0, end: 0 }, "- calls a\n\n* calls b\n3. ends the call\n")).toEqual({
      behaviors: ["x", "calls a", "calls b", "ends the call"],
      focus: 3,
    });
    expect(pasted(["calls .", "z"], 0, { start: 6, end: 6 }, "one\ntwo")).toEqual({
      behaviors: ["calls one", "two.", "z"],
      focus: 1,
    });
  });

  test("one pasted line is left to the input", () => {
    expect(pasted(["a"], 0, { start: 0, end: 1 }, "ends the call\n")).toBeUndefined();
  });
});
