import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Pattern, patternOf, search } from "../../packages/server/src/grading/pattern/pattern.ts";
import { anyText } from "../support/any-text.ts";

const compiled = (source: string, flags = ""): Pattern => {
  const pattern = patternOf(source, flags);
  if ("problem" in pattern) throw new Error(pattern.problem);
  return pattern;
};

const character = fc.constantFrom("a", "b", "c", "A", "1", " ", "-", ".", "\n", "é");
const atom = fc.oneof(
  fc.constantFrom(
    "a",
    "b",
    "c",
    "A",
    "1",
    " ",
    "é",
    ".",
    "\\d",
    "\\w",
    "\\s",
    "\\W",
    "\\.",
    "[ab]",
    "[^a]",
    "[a-c1]",
    "[\\d-]",
  ),
  fc.constantFrom("^", "$", "\\b", "\\B"),
);
const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 3 },
    atom,
    fc.tuple(tie("pattern"), fc.constantFrom("(", "(?:", "(?<n>")).map(([inner, open]) => `${open}${inner})`),
    fc
      .tuple(tie("pattern"), fc.constantFrom("*", "+", "?", "{2}", "{1,}", "{0,2}"), fc.constantFrom("", "?"))
      .map(([inner, times, lazy]) => `(?:${inner})${times}${lazy}`),
  ),
  pattern: fc
    .array(
      fc.array(tie("part"), { minLength: 1, maxLength: 3 }).map((parts) => parts.join("")),
      { minLength: 1, maxLength: 2 },
    )
    .map((options) => options.join("|")),
}));

describe("a pattern", () => {
  test("a pattern finds the same start as JavaScript's own engine", () => {
    const text = fc.array(character, { maxLength: 12 }).map((characters) => characters.join(""));
    const flags = fc.constantFrom("", "i", "m", "s", "ims");
    fc.assert(
      fc.property(pattern, flags, text, (source, flags, text) => {
        const ours = patternOf(source, flags);
        const theirs = referee(source, flags);
        if ("problem" in ours || theirs === undefined) return;
        const match = search(ours, text);
        expect(match === undefined ? -1 : (match as { start: number }).start).toBe(text.search(theirs));
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ["confirmation (number|code)", "i", "Your Confirmation CODE is", "Confirmation CODE"],
    ["a+?b", "", "xaaab", "aaab"],
    ["<.*>", "", "<a><b>", "<a><b>"],
    ["<.*?>", "", "<a><b>", "<a>"],
    ["\\p{Lu}\\p{L}+", "", "der Österreicher", "Österreicher"],
    ["5–7", "", "5-7 or 5–7", "5–7"],
    ["it's 5-7", "", "ok: it’s 5–7", "it’s 5–7"],
    ["\\bcat\\b", "", "concat cat", "cat"],
    ["😀{2}", "", "x😀😀", "😀😀"],
    ["\\u0061\\x62", "", "ab", "ab"],
    ["a{3", "", "a{3", "a{3"],
    ["", "", "x", ""],
    ["at(?:$){2}", "", "cat", "at"],
    ["(?:^)*c(\\b)?", "", "cat", "c"],
  ])("/%s/%s in %j finds %j", (source, flags, text, expected) => {
    const match = search(compiled(source, flags), text);
    expect(match && match !== "too_costly" ? text.slice(match.start, match.end) : match).toBe(expected);
  });

  test.each([
    ["(?=a)", "", "Look-around"],
    ["(?<!a)b", "", "Look-around"],
    ["(a)\\1", "", "back references"],
    ["(a", "", "A ( is not closed. Close it with )"],
    ["a)", "", "no opening (. Open it, or write \\)"],
    ["[a", "", "A [ is not closed. Close it with ]"],
    ["*a", "", "nothing before it to repeat. Put"],
    ["a**", "", "nothing before it to repeat. Put"],
    ["a{2,1}", "", "out of order"],
    ["a{1000}", "", "at most 100 times"],
    ["(a{100}){100}", "", "too large"],
    ["^*", "", "cannot be repeated"],
    ["[z-a]", "", "cannot be read"],
    ["\\", "", "end with"],
    ["a", "g", "flags"],
    ["x".repeat(501), "", "500 characters"],
    ["(".repeat(60), "", "nest"],
  ])("/%s/%s is refused with the reason", (source, flags, problem) => {
    expect(patternOf(source, flags)).toEqual({ problem: expect.stringContaining(problem) });
  });

  test.each(["(a+)+$", "(a|aa)+$", "(.*a){12}$", "(a*)*b", "(\\w+\\s?)*!"])(
    "/%s/, which backtracks forever in other engines, ends within a bounded number of steps",
    (source) => {
      const match = search(compiled(source), `${"a".repeat(20_000)} c`);
      expect(["too_costly", undefined]).toContain(match);
    },
  );

  test("a pattern is compiled or refused and never throws, with any text", () => {
    fc.assert(
      fc.property(anyText(60), fc.string({ maxLength: 200 }), (source, text) => {
        const pattern = patternOf(source, "i");
        if (!("problem" in pattern)) search(pattern, text);
      }),
      { numRuns: 1_000 },
    );
  });
});

function referee(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, `${flags}u`);
  } catch {
    return undefined;
  }
}
