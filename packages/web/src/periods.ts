const HOUR_MS = 3_600_000;

/** The keys are the names of the periods in the address. */
const HOURS = { "24h": 24, "7d": 7 * 24, "30d": 30 * 24 } as const;
export type Period = keyof typeof HOURS;
export const PERIOD_NAMES = Object.keys(HOURS) as Period[];

/** Returns the start as a full hour, so that all requests within the same hour are equal. */
const startOf = (period: Period, nowMs = Date.now()): string =>
  new Date(Math.floor(nowMs / HOUR_MS) * HOUR_MS - HOURS[period] * HOUR_MS).toISOString();

type Bucket = "hour" | "day";

export const bucketOf = (period: Period): Bucket => (period === "24h" ? "hour" : "day");

export const wordsOf = (period: Period): string => ({ "24h": "24 hours", "7d": "7 days", "30d": "30 days" })[period];

/** Days begin at midnight in this zone. */
export const READER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function periodQuery(period: Period): { from: string; bucket: Bucket; zone?: string } {
  const bucket = bucketOf(period);
  return { from: startOf(period), bucket, ...(bucket === "day" && { zone: READER_ZONE }) };
}

/** A named period that ends now, or the days from `from` to `to`, both included, in the reader's zone. */
export type Range = { period: Period } | { from: string; to: string };

export type RangeSearch = { period?: Period | undefined; from?: string | undefined; to?: string | undefined };

/** Days of a range with hours as buckets. */
const HOURLY_DAYS_MAX = 2;

/** Returns the range of search parameters. Without valid days it is a named period, by default 7 days. */
export function rangeOf({ period = "7d", from, to }: RangeSearch): Range {
  return isDay(from) && isDay(to) && from <= to ? { from, to } : { period };
}

export const isDay = (text: string | undefined): text is string =>
  text !== undefined && /^[1-9]\d{3}-\d\d-\d\d$/.test(text) && dayOf(midnightOf(text)) === text;

const midnightOf = (day: string): Date => new Date(`${day}T00:00:00`);

/** Example in the reader's zone: `2026-11-22`. */
export const dayOf = (at: Date): string =>
  [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, "0")).join("-");

export type RangeQuery = { from: string; to?: string; bucket: Bucket; zone?: string };

export function rangeQuery(range: Range): RangeQuery {
  if ("period" in range) return periodQuery(range.period);
  const [from, to] = [midnightOf(range.from).getTime(), endOf(midnightOf(range.to).getTime(), "day")];
  const bucket = bucketStarts(at(from), at(to), "day").length <= HOURLY_DAYS_MAX ? "hour" : "day";
  return { from: at(from), to: at(to), bucket, ...(bucket === "day" && { zone: READER_ZONE }) };
}

/**
 * Returns the query of the range of the same length right before this one. The last bucket of both is equally complete, to the
 * hour, so that a day that has just begun is compared with the same hours.
 */
export function queryBefore(query: RangeQuery, nowMs = Date.now()): RangeQuery {
  const endMs = query.to === undefined ? Math.floor(nowMs / HOUR_MS) * HOUR_MS : Date.parse(query.to);
  const buckets = bucketStarts(query.from, at(endMs), query.bucket).length;
  const startMs = startOfBucket(Date.parse(query.from), query.bucket);
  return { ...query, from: at(earlier(startMs, buckets, query.bucket)), to: at(earlier(endMs, buckets, query.bucket)) };
}

function earlier(atMs: number, buckets: number, bucket: Bucket): number {
  if (bucket === "hour") return atMs - buckets * HOUR_MS;
  const day = new Date(atMs);
  return day.setDate(day.getDate() - buckets);
}

const at = (atMs: number): string => new Date(atMs).toISOString();

/** Example: `7 days`, or `1 Nov to 9 Nov`. */
export function rangeWords(range: Range): string {
  if ("period" in range) return wordsOf(range.period);
  const [from, to] = [range.from, range.to].map((text) => day.format(midnightOf(text)));
  return from === to ? from! : `${from} to ${to}`;
}

function startOfBucket(atMs: number, bucket: Bucket): number {
  if (bucket === "hour") return Math.floor(atMs / HOUR_MS) * HOUR_MS;
  return new Date(atMs).setHours(0, 0, 0, 0);
}

/** A day in the reader's time zone can have 23 or 25 hours. */
export function endOf(startMs: number, bucket: Bucket): number {
  if (bucket === "hour") return startMs + HOUR_MS;
  const day = new Date(startMs);
  return day.setDate(day.getDate() + 1);
}

export function bucketStarts(fromIso: string, toIso: string, bucket: Bucket): number[] {
  const starts: number[] = [];
  for (let at = startOfBucket(Date.parse(fromIso), bucket); at < Date.parse(toIso); at = endOf(at, bucket))
    starts.push(at);
  return starts;
}

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const hour = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

export const formatBucket = (atMs: number, bucket: Bucket): string => (bucket === "day" ? day : hour).format(atMs);
