import { describe, expect, test } from "vitest";
import {
  formatAgo,
  formatCost,
  formatDateTime,
  formatDay,
  formatMeasure,
  formatMoment,
  formatMs,
  formatPercent,
  formatPlural,
  formatUtc,
} from "../../packages/web/src/ui/format.ts";

const NOW = new Date(2026, 10, 22, 12, 0, 0);
const before = (ms: number) => new Date(NOW.getTime() - ms);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

describe("numbers in words", () => {
  test.each([
    [0, "0 ms"],
    [870.4, "870 ms"],
    [999.6, "1.00 s"],
    [1_190, "1.19 s"],
    [9_996, "10.0 s"],
    [59_940, "59.9 s"],
    [59_960, "1:00"],
    [185_000, "3:05"],
    [3_750_000, "1:02:30"],
    [-120, "−120 ms"],
    [-1_190, "−1.19 s"],
    [-185_000, "−3:05"],
    [null, "–"],
  ])("%s milliseconds read %s", (ms, text) => expect(formatMs(ms)).toBe(text));

  test.each([
    [0, "0%"],
    [0.0001, "0.1%"],
    [0.004, "0.4%"],
    [0.666, "67%"],
    [0.9999, "99.9%"],
    [1, "100%"],
    [null, "–"],
  ])("the share %s reads %s: only none is 0%% and only all is 100%%", (share, text) =>
    expect(formatPercent(share)).toBe(text),
  );

  test("a measure has its unit, and an unknown one is a dash and no 0", () => {
    expect(formatMeasure(1_190, "ms")).toBe("1.19 s");
    expect(formatMeasure(0.25, "ratio")).toBe("25%");
    expect(formatMeasure(3, "count")).toBe("3");
    expect(formatMeasure(197.456, "words/min")).toBe("197 words/min");
    expect(formatMeasure(0.25, "tokens")).toBe("0.25 tokens");
    expect(formatMeasure(null, "ms")).toBe("–");
  });

  test("one thing is singular", () => {
    expect([formatPlural(0, "test"), formatPlural(1, "test"), formatPlural(1_200, "test")]).toEqual([
      "0 tests",
      "1 test",
      "1,200 tests",
    ]);
    expect(formatPlural(2, "reply", "replies")).toBe("2 replies");
  });

  test("a small cost is never 0", () => {
    expect([formatCost(0), formatCost(0.001), formatCost(1.5)]).toEqual(["0.00", "< 0.01", "1.50"]);
  });
});

describe("times in words", () => {
  test.each([
    [10_000, "now"],
    [5 * MINUTE_MS, "5 min ago"],
    [59.6 * MINUTE_MS, "1 h ago"],
    [-3 * HOUR_MS, "in 3 h"],
    [DAY_MS, "1 day ago"],
    [2 * DAY_MS, "2 days ago"],
    [7 * DAY_MS, "15 Nov"],
  ])("%s milliseconds ago read %s", (ms, text) => expect(formatAgo(before(ms), NOW)).toBe(text));

  test("a day of another year has its year", () => {
    expect(formatDay(new Date(2025, 10, 22), NOW)).toBe("22 Nov 2025");
  });

  test.each([
    [new Date(2026, 10, 22, 0, 1), "Today 00:01"],
    [new Date(2026, 10, 21, 23, 59), "Yesterday 23:59"],
    [new Date(2026, 10, 20, 6, 2), "20 Nov 06:02"],
  ])("%s reads %s at noon of 22 November", (at, text) => expect(formatMoment(at, NOW)).toBe(text));

  test("a time is in the reader's zone, and UTC says so", () => {
    expect(formatDateTime(new Date(2026, 10, 15, 6, 2), NOW)).toBe("15 Nov, 06:02");
    expect(formatUtc("2026-11-22T06:02:11.5Z")).toBe("2026-11-22 06:02:11 UTC");
  });
});
