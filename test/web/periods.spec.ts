import { describe, expect, test } from "vitest";
import { bucketStarts, isDay, queryBefore, rangeOf, rangeQuery, rangeWords } from "../../packages/web/src/periods.ts";

const days = (from: string, to: string) => rangeQuery(rangeOf({ from, to }));
const bucketsOf = ({ from, to, bucket }: ReturnType<typeof days>) => bucketStarts(from, to!, bucket);

describe("the range of a page", () => {
  test("without two days in order it is a named period, by default 7 days", () => {
    expect(rangeOf({})).toEqual({ period: "7d" });
    expect(rangeOf({ from: "2026-11-09", to: "2026-11-01", period: "30d" })).toEqual({ period: "30d" });
    expect(rangeOf({ from: "2026-11-09" })).toEqual({ period: "7d" });
    expect(["2026-02-30", "2026-1-1", "26-01-01", "x", undefined].filter(isDay)).toEqual([]);
  });

  test("the range of a page holds its first and its last day, whole, and up to two days have hours", () => {
    const query = days("2026-11-01", "2026-11-09");
    expect([new Date(query.from).getHours(), new Date(query.to!).getDate(), query.bucket]).toEqual([0, 10, "day"]);
    expect(bucketsOf(query)).toHaveLength(9);
    expect([days("2026-11-01", "2026-11-01"), days("2026-11-01", "2026-11-02")].map(({ bucket }) => bucket)).toEqual([
      "hour",
      "hour",
    ]);
    expect(rangeWords(rangeOf({ from: "2026-11-01", to: "2026-11-09" }))).toBe("1 Nov to 9 Nov");
  });
});

describe("the range before", () => {
  test.each([
    ["2026-11-01", "2026-11-09"],
    ["2026-03-25", "2026-03-31"],
    ["2026-10-20", "2026-10-26"],
    ["2026-11-01", "2026-11-01"],
  ])(
    "the range before has as many buckets and ends where the range begins, even when the clocks change: %s to %s",
    (from, to) => {
      const query = days(from, to);
      const before = queryBefore(query);
      expect(before.to).toBe(query.from);
      expect(bucketsOf(before)).toHaveLength(bucketsOf(query).length);
    },
  );

  test("a day that has just begun is compared with the same hours", () => {
    const now = new Date(2026, 10, 22, 9, 40);
    const from = new Date(2026, 10, 15).toISOString();
    const before = queryBefore({ from, bucket: "day" }, now.getTime());
    expect([before.from, before.to]).toEqual([
      new Date(2026, 10, 7).toISOString(),
      new Date(2026, 10, 14, 9).toISOString(),
    ]);
  });
});
