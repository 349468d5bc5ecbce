const HOUR_MS = 3_600_000;

/** The periods that pages offer, by their name in the address. */
const HOURS = { "24h": 24, "7d": 7 * 24, "30d": 30 * 24 } as const;
export type Period = keyof typeof HOURS;
export const PERIOD_NAMES = Object.keys(HOURS) as Period[];

/** Returns the start of a period, at a full hour, so that repeated requests are the same. */
const startOf = (period: Period, nowMs = Date.now()): string =>
  new Date(Math.floor(nowMs / HOUR_MS) * HOUR_MS - HOURS[period] * HOUR_MS).toISOString();

type Bucket = "hour" | "day";

/** Returns the length of the buckets that show a period. */
export const bucketOf = (period: Period): Bucket => (period === "24h" ? "hour" : "day");

/** Returns the period in words. */
export const wordsOf = (period: Period): string => ({ "24h": "24 hours", "7d": "7 days", "30d": "30 days" })[period];

/** The zone of the reader, in which days begin. */
export const READER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Returns the part of a request that asks for a period in buckets: hours, or days of the reader's zone. */
export function periodQuery(period: Period): { from: string; bucket: Bucket; zone?: string } {
  const bucket = bucketOf(period);
  return { from: startOf(period), bucket, ...(bucket === "day" && { zone: READER_ZONE }) };
}

/** Returns the start of the bucket that holds a time. Days begin at midnight in the reader's zone. */
function startOfBucket(atMs: number, bucket: Bucket): number {
  if (bucket === "hour") return Math.floor(atMs / HOUR_MS) * HOUR_MS;
  return new Date(atMs).setHours(0, 0, 0, 0);
}

/** Returns the end of the bucket that starts at a time. A day of the reader's zone may have 23 or 25 hours. */
export function endOf(startMs: number, bucket: Bucket): number {
  if (bucket === "hour") return startMs + HOUR_MS;
  const day = new Date(startMs);
  return day.setDate(day.getDate() + 1);
}

/** Returns the starts of all buckets of a period in milliseconds, oldest first, so that empty ones are seen too. */
export function bucketStarts(fromIso: string, toIso: string, bucket: Bucket): number[] {
  const starts: number[] = [];
  for (let at = startOfBucket(Date.parse(fromIso), bucket); at < Date.parse(toIso); at = endOf(at, bucket))
    starts.push(at);
  return starts;
}

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const hour = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

/** Returns the start of a bucket in words, in the reader's zone. */
export const formatBucket = (atMs: number, bucket: Bucket): string => (bucket === "day" ? day : hour).format(atMs);
