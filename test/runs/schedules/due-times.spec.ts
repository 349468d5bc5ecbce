import { readCron } from "@svc/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { atOnce } from "../../../packages/server/src/base/async/in-slices.ts";
import { countDue, dueTimesOf, nextDueTimes } from "../../../packages/server/src/runs/schedules/due-times-rules.ts";
import { wordsOf } from "../../../packages/server/src/runs/schedules/words-rules.ts";

const MINUTE_MS = 60_000;
const next = (cron: string, zone: string, from: string, count: number) =>
  nextDueTimes(dueTimesOf(cron, zone), Date.parse(from), count).map((ms) => new Date(ms).toISOString().slice(0, 16));

describe("the changes of the clock", () => {
  test("a time that the change to summer time skips is due once, at the change", () => {
    expect(next("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00Z", 2)).toEqual([
      "2026-03-29T01:00",
      "2026-03-30T00:30",
    ]);
    expect(next("*/20 2 * * *", "Europe/Berlin", "2026-03-28T12:00Z", 2)).toEqual([
      "2026-03-29T01:00",
      "2026-03-30T00:00",
    ]);
    expect(next("30 2 * * *", "America/New_York", "2026-03-07T12:00Z", 2)).toEqual([
      "2026-03-08T07:00",
      "2026-03-09T06:30",
    ]);
    expect(next("15 2 * * *", "Australia/Lord_Howe", "2026-10-02T16:00Z", 2)).toEqual([
      "2026-10-03T15:30",
      "2026-10-04T15:15",
    ]);
  });

  test("a time that the change to winter time repeats is due once, the first time", () => {
    expect(next("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00Z", 2)).toEqual([
      "2026-10-25T00:30",
      "2026-10-26T01:30",
    ]);
    expect(next("30 1 * * *", "America/New_York", "2026-10-31T12:00Z", 2)).toEqual([
      "2026-11-01T05:30",
      "2026-11-02T06:30",
    ]);
    expect(next("45 1 * * *", "Australia/Lord_Howe", "2026-04-04T02:00Z", 2)).toEqual([
      "2026-04-04T14:45",
      "2026-04-05T15:15",
    ]);
  });

  test("an hourly schedule follows the hours that pass when clocks change", () => {
    expect(next("30 * * * *", "Europe/Berlin", "2026-10-24T23:45Z", 3)).toEqual([
      "2026-10-25T00:30",
      "2026-10-25T01:30",
      "2026-10-25T02:30",
    ]);
    expect(next("30 * * * *", "Europe/Berlin", "2026-03-29T00:00Z", 3)).toEqual([
      "2026-03-29T00:30",
      "2026-03-29T01:30",
      "2026-03-29T02:30",
    ]);
  });

  test("a leap day is due in leap years alone", () => {
    expect(next("0 0 29 2 *", "UTC", "2095-01-01T00:00Z", 3)).toEqual([
      "2096-02-29T00:00",
      "2104-02-29T00:00",
      "2108-02-29T00:00",
    ]);
  });

  const localTimes = new Map<string, number>();
  const formats = new Map<string, Intl.DateTimeFormat>();
  function localTimeOf(zone: string, ms: number): number {
    const key = `${zone} ${ms}`;
    const known = localTimes.get(key);
    if (known !== undefined) return known;
    if (!formats.has(zone))
      formats.set(zone, new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" }));
    const local = Date.parse(`${formats.get(zone)!.format(ms).replace(" ", "T")}Z`);
    localTimes.set(key, local);
    return local;
  }

  /** Returns the due minutes of a period, found by looking at the local time of every minute. */
  function dueByEveryMinute(expression: string, zone: string, fromMs: number, toMs: number): number[] {
    const read = readCron(expression);
    if ("problem" in read) throw new Error(read.problem);
    const { minutes, hours, days, months, weekdays } = read.cron;
    const isDue = (localMs: number) => {
      const local = new Date(localMs);
      const byDay = days.includes(local.getUTCDate());
      const byWeekday = weekdays.includes(local.getUTCDay());
      const [anyDay, anyWeekday] = [days.length === 31, weekdays.length === 7];
      const isDay = anyDay ? byWeekday : anyWeekday ? byDay : byDay || byWeekday;
      return (
        isDay &&
        minutes.includes(local.getUTCMinutes()) &&
        hours.includes(local.getUTCHours()) &&
        months.includes(local.getUTCMonth() + 1)
      );
    };
    const due: number[] = [];
    let seenMs = -Infinity; // the latest local time so far
    for (let ms = fromMs; ms <= toMs; ms += MINUTE_MS) {
      const localMs = localTimeOf(zone, ms);
      const repeated = localMs <= seenMs;
      const skippedFrom = seenMs + MINUTE_MS;
      let isDueNow = isDue(localMs) && (!repeated || hours.length === 24);
      if (seenMs !== -Infinity && hours.length < 24)
        for (let skipped = skippedFrom; skipped < localMs; skipped += MINUTE_MS) isDueNow ||= isDue(skipped);
      if (isDueNow) due.push(ms);
      seenMs = Math.max(seenMs, localMs);
    }
    return due;
  }

  const CHANGES = [
    ["Europe/Berlin", "2026-03-29T01:00Z"],
    ["Europe/Berlin", "2026-10-25T01:00Z"],
    ["America/New_York", "2026-03-08T07:00Z"],
    ["America/New_York", "2026-11-01T06:00Z"],
    ["Australia/Lord_Howe", "2026-10-03T15:30Z"],
    ["Australia/Lord_Howe", "2026-04-04T15:00Z"],
    ["America/Sao_Paulo", "2018-11-04T03:00Z"],
    ["Africa/Casablanca", "2026-02-15T02:00Z"],
    ["Asia/Kolkata", "2026-02-28T18:30Z"],
  ] as const;
  const list = (min: number, max: number) =>
    fc.oneof(
      fc.constant("*"),
      fc.integer({ min: 2, max: 12 }).map((step) => `*/${step}`),
      fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 5 }).map((values) => values.join(",")),
    );
  const days = fc.oneof({ weight: 4, arbitrary: fc.constant("*") }, { weight: 1, arbitrary: list(1, 28) });
  const weekdays = fc.oneof({ weight: 3, arbitrary: fc.constant("*") }, { weight: 1, arbitrary: list(0, 7) });

  test("the due times around each change are those that a look at every minute finds", () => {
    const expressions = fc
      .tuple(list(0, 59), list(0, 4), days, fc.constant("*"), weekdays)
      .map((fields) => fields.join(" "));
    const property = fc.property(fc.constantFrom(...CHANGES), expressions, ([zone, change], expression) => {
      const fromMs = Date.parse(change) - 30 * 60 * MINUTE_MS;
      const toMs = fromMs + 60 * 60 * MINUTE_MS;
      const times = dueTimesOf(expression, zone);
      const found: number[] = [];
      for (let ms = times.after(fromMs); ms <= toMs; ms = times.after(ms)) found.push(ms);
      const expected = dueByEveryMinute(expression, zone, fromMs, toMs).filter((ms) => ms > fromMs);
      expect(found, `${expression} ${zone}`).toEqual(expected);
    });
    fc.assert(property, { numRuns: 60 });
  });
});

test("due times that have come are counted, with the last and the next", () => {
  const times = dueTimesOf("*/5 * * * *", "UTC");
  const first = Date.parse("2026-01-01T00:05Z");
  expect(atOnce(countDue(times, first, first))).toEqual({ count: 1, lastMs: first, nextMs: first + 5 * MINUTE_MS });
  expect(atOnce(countDue(times, first, first + 12 * MINUTE_MS))).toEqual({
    count: 3,
    lastMs: first + 10 * MINUTE_MS,
    nextMs: first + 15 * MINUTE_MS,
  });
});

describe("cron expressions", () => {
  test.each([
    ["0 6 * * 1-5", "At 06:00 from Monday to Friday"],
    ["* * * * *", "Every minute"],
    ["*/15 * * * *", "Every 15 minutes"],
    ["0 * * * *", "Every hour on the hour"],
    ["5,35 * * * *", "Every hour at the minutes 5 and 35"],
    ["0 6,18 * * *", "At 06:00 and 18:00 every day"],
    ["*/10 8-17 * * MON-FRI", "Every 10 minutes from 08:00 to 17:59 from Monday to Friday"],
    ["30 2 1 * *", "At 02:30 on day 1 of the month"],
    ["0 0 1,15 * 1", "At 00:00 on the days 1 and 15 of the month and also on Monday"],
    ["0 0 29 feb *", "At 00:00 in February on day 29 of the month"],
    ["0 */2 * * *", "Every 2 hours, at 00:00, 02:00 and so on, every day"],
    ["17 * * 6-8 6,0", "Every hour at minute 17 from June to August on Saturday and Sunday"],
    [" 0  6 * *\t7 ", "At 06:00 on Sunday"],
    ["0 0 * * 5-7", "At 00:00 from Friday to Sunday"],
  ])("%s is read as: %s", (expression, words) => {
    const read = readCron(expression);
    expect("cron" in read && wordsOf(read.cron)).toBe(words);
  });

  test.each([
    ["", "This has 0."],
    ["0 6 * *", "This has 4."],
    ["0 0 6 * * *", "This has 6."],
    ["@daily", "This has 1."],
    ["60 * * * *", '"60" is no minute'],
    ["* 24 * * *", '"24" is no hour'],
    ["* * 0 * *", '"0" is no day of the month'],
    ["* * * 13 *", '"13" is no month'],
    ["* * * * 8", '"8" is no day of the week'],
    ["5-1 * * * *", "runs backwards"],
    ["5/10 * * * *", "*/10 or 5-59/10"],
    ["*/0 * * * *", "no step"],
    ["0,,1 * * * *", "is no minute"],
    ["* * L * *", '"L" is no day of the month'],
    ["0 0 30 2 *", "never comes"],
    ["0 0 31 4,6,9,11 *", "never comes"],
    ["٣ 6 * * *", "is no minute"],
    ["<img/src=x> * * * *", "is no minute"],
    [`${"1,".repeat(500)}1 * * * *`, "at most 200 characters"],
  ])("%j is refused with a correction", (expression, problem) => {
    const read = readCron(expression);
    expect("problem" in read && read.problem).toContain(problem);
  });

  test("any text is a valid cron expression, with a text for people and a next time, or is refused with a correction", () => {
    const pieces = fc.stringMatching(/^[0-9*,/\-a-zA-Z]{1,6}$/);
    const texts = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.tuple(pieces, pieces, pieces, pieces, pieces).map((five) => five.join(" ")),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const read = readCron(text);
        if ("problem" in read) {
          expect(read.problem).not.toBe("");
          return;
        }
        expect(wordsOf(read.cron)).toMatch(/^(At|Every) /);
        expect(dueTimesOf(text, "Europe/Berlin").after(0)).toBeGreaterThan(0);
      }),
    );
  });
});
