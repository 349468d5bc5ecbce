import { type Cron, readCron } from "@svc/contract";
import { Cron as Pattern } from "croner";
import { changeBetween, offsetReader } from "../../traces/metrics/zone-offsets.ts";

const DAY_MS = 86_400_000;

export type DueTimes = {
  after: (ms: number) => number;
};

/**
 * Returns the due times of a cron expression in a time zone. When a clock change skips a due local time, the due time is the moment of the
 * change. When a clock change repeats a due local time, only its first occurrence is due. Exception: an expression for every hour is due at
 * both occurrences of a repeated hour, and not due for a skipped hour.
 */
export function dueTimesOf(expression: string, zone: string): DueTimes {
  const read = readCron(expression);
  if ("problem" in read) throw new Error(`The stored cron expression "${expression}" cannot be read: ${read.problem}`);
  const { cron } = read;
  const pattern = new Pattern(patternOf(cron), { utcOffset: 0, mode: "5-part" });
  const offsetAt = offsetsIn(zone);
  const isEveryHour = cron.hours.length === 24;

  /** Returns the moments that are due for a due local time: none, one or two. `localMs` is the local time read as if it were UTC. */
  function momentsOf(localMs: number): number[] {
    const [before, after] = [offsetAt(localMs - DAY_MS), offsetAt(localMs + DAY_MS)];
    if (before === after) return [localMs - before];
    const [early, late] = [localMs - before, localMs - after];
    const isEarly = offsetAt(early) === before;
    const isLate = offsetAt(late) === after;
    if (isEarly && isLate) return isEveryHour ? [early, late] : [early];
    if (isEarly) return [early];
    if (isLate) return [late];
    return isEveryHour ? [] : [changeBetween(localMs - DAY_MS, localMs + DAY_MS, offsetAt)];
  }

  return {
    after(ms) {
      const offsets = [offsetAt(ms - DAY_MS), offsetAt(ms), offsetAt(ms + DAY_MS)];
      let local = new Date(ms + Math.min(...offsets));
      let first = Infinity;
      for (;;) {
        const next = pattern.nextRun(local);
        if (next === null) throw new Error(`The cron expression "${expression}" has no time after ${ms}.`);
        local = next;
        const localMs = local.getTime();
        for (const moment of momentsOf(localMs)) if (moment > ms) first = Math.min(first, moment);
        if (first !== Infinity && localMs - Math.max(offsetAt(first - DAY_MS), offsetAt(first + DAY_MS)) >= first)
          return first;
      }
    },
  };
}

export function nextDueTimes(times: DueTimes, ms: number, count: number): number[] {
  const next: number[] = [];
  while (next.length < count) next.push(times.after(next.at(-1) ?? ms));
  return next;
}

/** Number of due times up to now, the last of them, and the next due time after now. */
export type DueNow = { count: number; lastMs: number; nextMs: number };

/**
 * Counts the due times from `firstMs` up to now. It yields after each of them, so that other work can proceed: after a long stop of the
 * service the number is large.
 */
export function* countDue(times: DueTimes, firstMs: number, nowMs: number): Generator<void, DueNow> {
  let [count, lastMs] = [1, firstMs];
  for (let nextMs = times.after(firstMs); ; nextMs = times.after(nextMs)) {
    if (nextMs > nowMs) return { count, lastMs, nextMs };
    count++;
    lastMs = nextMs;
    yield;
  }
}

/** Time zones change their offset only at full quarters of an hour. */
const QUARTER_MS = 900_000;
const QUARTERS_MAX = 10_000;
const ZONES_MAX = 50;

type OffsetAt = (ms: number) => number;
const zones = new Map<string, OffsetAt>();

/**
 * Returns a function that reads the offset of a time zone. It caches the offsets, because reading one takes longer than all other steps
 * together.
 */
function offsetsIn(zone: string): OffsetAt {
  const known = zones.get(zone);
  if (known !== undefined) return known;
  if (zones.size >= ZONES_MAX) zones.clear();
  const read = offsetReader(zone);
  const offsets = new Map<number, number>();
  const offsetAt: OffsetAt = (ms) => {
    const quarter = Math.floor(ms / QUARTER_MS);
    let offset = offsets.get(quarter);
    if (offset === undefined) {
      if (offsets.size >= QUARTERS_MAX) offsets.clear();
      offsets.set(quarter, (offset = read(quarter * QUARTER_MS)));
    }
    return offset;
  };
  zones.set(zone, offsetAt);
  return offsetAt;
}

/** Returns the expression with lists of numbers only, which all cron libraries interpret in the same way. */
function patternOf({ minutes, hours, days, months, weekdays }: Cron): string {
  const field = (values: readonly number[], all: number) => (values.length === all ? "*" : values.join(","));
  return [field(minutes, 60), field(hours, 24), field(days, 31), field(months, 12), field(weekdays, 7)].join(" ");
}
