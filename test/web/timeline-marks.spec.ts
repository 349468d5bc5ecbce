import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  heardLength,
  inReadingOrder,
  type Mark,
  marksOfGrades,
  segmentsOf,
} from "../../packages/web/src/conversations/timeline/marks.ts";

const mark = (quote: string | null, number = 1): Mark => ({
  id: `gra_${number}`,
  number,
  turn: 0,
  quote,
  label: "Failed",
});
const marked = (text: string, marks: Mark[], heard?: number) =>
  segmentsOf(text, marks, heard).segments.map(({ text: part, marks: own }) => [part, own.map(({ number }) => number)]);

describe("marked words", () => {
  test("a quote marks its words, and the text around it stays", () => {
    expect(marked("You are booked. Anything else?", [mark("You are booked.")])).toEqual([
      ["You are booked.", [1]],
      [" Anything else?", []],
    ]);
  });

  test("overlapping quotes share the longest mark and keep their numbers in order", () => {
    const marks = [mark("booked, Eli", 2), mark("You are booked", 1)];
    expect(marked("You are booked, Eli.", marks)).toEqual([
      ["You are booked, Eli", [1, 2]],
      [".", []],
    ]);
  });

  test("white space and case of a quote may differ from the text", () => {
    expect(marked("You  are\nbooked", [mark("you are booked")])[0]![1]).toEqual([1]);
  });

  test("a quote that is not in the text marks nothing and is listed as unplaced", () => {
    const { segments, unplaced } = segmentsOf("Hello", [mark("Goodbye"), mark(null, 2)]);
    expect(segments).toEqual([{ text: "Hello", marks: [], heard: true }]);
    expect(unplaced.map(({ number }) => number)).toEqual([1, 2]);
  });

  test("words that the caller did not hear are apart, also inside a mark", () => {
    const { segments } = segmentsOf("one two three", [mark("two three")], heardLength("one two three", "one two"));
    expect(segments.map(({ text, heard }) => [text, heard])).toEqual([
      ["one ", true],
      ["two", true],
      [" three", false],
    ]);
  });

  test("the pieces of a text are always the whole text", () => {
    const quotes = fc.array(fc.string({ maxLength: 6 }), { maxLength: 6 });
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), quotes, fc.nat(60), (text, words, heard) => {
        const { segments } = segmentsOf(
          text,
          words.map((quote, at) => mark(quote, at + 1)),
          heard,
        );
        expect(segments.map((segment) => segment.text).join("")).toBe(text);
      }),
    );
  });
});

describe("numbers of verdicts", () => {
  const grade = (id: string, verdict: "passed" | "failed", counts: boolean, turn: number | null) => ({
    id,
    graderId: "grd_1",
    criterion: id,
    verdict,
    counts,
    evidence: turn === null ? [] : [{ turn, quote: "words", toolCall: null }],
  });

  test("failed verdicts that count come first, and only verdicts that quote a turn have a number", () => {
    const grades = [
      grade("a", "passed", true, 1),
      grade("b", "failed", false, 2),
      grade("c", "failed", true, 3),
      grade("d", "failed", true, null),
    ];
    expect(inReadingOrder(grades).map(({ id }) => id)).toEqual(["c", "d", "a", "b"]);
    const { numbers, marks } = marksOfGrades(grades);
    expect([...numbers]).toEqual([
      ["c", 1],
      ["a", 2],
      ["b", 3],
    ]);
    expect(marks.map(({ turn, number }) => [turn, number])).toEqual([
      [3, 1],
      [1, 2],
      [2, 3],
    ]);
  });
});
