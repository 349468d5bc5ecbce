import { expect, test } from "vitest";
import { spread, ticksOf } from "../../packages/web/src/ui/plot-drawing.ts";

test("labels at the ends of lines keep a distance and their order", () => {
  const ends = [{ y: 50 }, { y: 10 }, { y: 12 }, { y: 13 }];
  expect(spread(ends, 12).map(({ y }) => y)).toEqual([10, 22, 34, 50]);
});

test("the newest bucket of a plot is always named, and at most six are", () => {
  const days = Array.from({ length: 30 }, (_, day) => day);
  expect(ticksOf(days)).toEqual([4, 9, 14, 19, 24, 29]);
  expect(ticksOf([1, 2, 3])).toEqual([1, 2, 3]);
  expect(ticksOf([])).toEqual([]);
});
