import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { spaced } from "../../packages/web/src/shell/spaced.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("the first call works at once, and of further calls only one works in each interval", () => {
  const work = vi.fn<() => void>();
  const { run } = spaced(work, 5_000);
  run();
  expect(work).toHaveBeenCalledTimes(1);
  for (let second = 1; second < 60; second++) {
    vi.advanceTimersByTime(1_000);
    run();
  }
  expect(work.mock.calls.length).toBeLessThanOrEqual(12);
  expect(work.mock.calls.length).toBeGreaterThanOrEqual(11);
});

test("the last of several calls is never lost, and none runs after the end", () => {
  const work = vi.fn<() => void>();
  const { run, stop } = spaced(work, 5_000);
  run();
  run();
  run();
  expect(work).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(5_000);
  expect(work).toHaveBeenCalledTimes(2);
  vi.advanceTimersByTime(60_000);
  expect(work).toHaveBeenCalledTimes(2);
  run();
  run();
  stop();
  vi.advanceTimersByTime(60_000);
  expect(work).toHaveBeenCalledTimes(3);
});
