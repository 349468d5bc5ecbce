import { expect, test } from "vitest";
import {
  columnsOf,
  colorToken,
  marksByBucket,
  nearestLine,
  rangeOf,
  shortLabel,
  spread,
  ticksOf,
} from "../../packages/web/src/ui/plot-drawing.ts";

test("labels at the ends of lines keep a distance and their order", () => {
  const ends = [{ y: 50 }, { y: 10 }, { y: 12 }, { y: 13 }];
  expect(spread(ends, 12, 100).map(({ y }) => y)).toEqual([10, 22, 34, 50]);
});

test("labels of lines that end at the bottom stay above it", () => {
  expect(spread([{ y: 100 }, { y: 100 }, { y: 98 }, { y: 20 }], 12, 100).map(({ y }) => y)).toEqual([20, 76, 88, 100]);
});

test("the newest bucket of a plot is always named, and at most six are", () => {
  const days = Array.from({ length: 30 }, (_, day) => day);
  expect(ticksOf(days)).toEqual([4, 9, 14, 19, 24, 29]);
  expect(ticksOf([1, 2, 3])).toEqual([1, 2, 3]);
  expect(ticksOf([])).toEqual([]);
  expect(ticksOf(days, 190)).toEqual([9, 19, 29]);
  expect(ticksOf(days, 40)).toEqual([14, 29]);
});

test("a plot shows zero, its values and its limit", () => {
  expect(rangeOf(10, 100)).toEqual([0, 100 * 1.1]);
  expect(rangeOf(10, 100, 200)).toEqual([0, 200 * 1.1]);
  expect(rangeOf(-40, -20, -30)).toEqual([-40 * 1.1, 0]);
  expect(rangeOf(null, null)).toEqual([0, 1]);
  expect(rangeOf(0, 0)).toEqual([0, 1]);
  expect(rangeOf(null, null, 5)).toEqual([0, 5.5]);
  expect(rangeOf(10, 100, undefined, -50, 200)).toEqual([-50 * 1.1, 200 * 1.1]);
});

test("a mark is in the bucket that holds its moment; one before the plot is left out", () => {
  const mark = (atMs: number) => ({ atMs, label: `${atMs}`, words: `at ${atMs}` });
  const marks = marksByBucket([10, 20, 30], [mark(9), mark(10), mark(19), mark(30), mark(99)]);
  expect([...marks].map(([bucket, own]) => [bucket, own.map(({ atMs }) => atMs)])).toEqual([
    [0, [10, 19]],
    [2, [30, 99]],
  ]);
  expect(marksByBucket([], [mark(1)]).size).toBe(0);
});

test("eight lines have eight colours", () => {
  expect(new Set(Array.from({ length: 8 }, (_, line) => colorToken(line))).size).toBe(8);
});

test("a long label is cut in the middle, so that names of one family differ, and never inside a character", () => {
  expect(["support.agent-1", "support.agent-12", "support.agent-13"].map(shortLabel)).toEqual([
    "support.agent-1",
    "support…gent-12",
    "support…gent-13",
  ]);
  expect(shortLabel("🛎️".repeat(20))).not.toMatch(/\p{Surrogate}/u);
});

test("parts of a column lie on each other, negative parts below zero, and an unknown part leaves no gap", () => {
  const part = (token: string, ...values: (number | null)[]) => ({ label: token, token, values });
  expect(columnsOf([part("a", 200, null), part("b", -50, null), part("c", 300, 40)], 2)).toEqual([
    [
      { token: "a", from: 0, to: 200 },
      { token: "b", from: 0, to: -50 },
      { token: "c", from: 200, to: 500 },
    ],
    [{ token: "c", from: 0, to: 40 }],
  ]);
});

test("the line that a plot's crosshair selects is the nearest with a value at that time", () => {
  expect(nearestLine([10, null, 40], 30)).toBe(2);
  expect(nearestLine([10, null, 40], 12)).toBe(0);
  expect(nearestLine([null, null], 12)).toBeUndefined();
});
