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
