import { expect, test } from "vitest";
import { atOnce, inSlices, mapInSlices } from "../packages/server/src/base/async/in-slices.ts";

const busy = (ms: number) => {
  for (const endsAt = performance.now() + ms; performance.now() < endsAt;);
};

/** Runs the work, and counts how often other work runs in the meantime. */
async function countingOthers<Result>(work: () => Promise<Result>): Promise<{ result: Result; others: number }> {
  let others = 0;
  let isOver = false;
  const other = () => {
    others++;
    if (!isOver) setImmediate(other);
  };
  setImmediate(other);
  const result = await work();
  isOver = true;
  return { result, others };
}

test("work on many items keeps their order and lets other work run between them", async () => {
  const double = (item: number) => {
    busy(10);
    return item * 2;
  };
  const { result, others } = await countingOthers(() => mapInSlices([1, 2, 3, 4, 5, 6], double));
  expect(result).toEqual([2, 4, 6, 8, 10, 12]);
  expect(others).toBeGreaterThanOrEqual(6);
});

test("a computation in steps has the same result in slices and at once, and its fault rejects", async () => {
  function* sum(count: number): Generator<void, number> {
    let total = 0;
    for (let number = 1; number <= count; number++) {
      if (number === 7) throw new Error("seven");
      busy(10);
      total += number;
      yield;
    }
    return total;
  }
  expect(atOnce(sum(3))).toBe(6);
  const { result, others } = await countingOthers(() => inSlices(sum(5)));
  expect(result).toBe(15);
  expect(others).toBeGreaterThanOrEqual(5);
  await expect(inSlices(sum(8))).rejects.toThrow("seven");
});
