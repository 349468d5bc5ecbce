const HOUR_MS = 3_600_000;

/** The periods that pages offer, by their name in the address. */
const HOURS = { "24h": 24, "7d": 7 * 24, "30d": 30 * 24 } as const;
export type Period = keyof typeof HOURS;
export const PERIOD_NAMES = Object.keys(HOURS) as Period[];

/** Returns the start of a period, at a full hour, so that repeated requests are the same. */
export const startOf = (period: Period, nowMs = Date.now()): string =>
  new Date(Math.floor(nowMs / HOUR_MS) * HOUR_MS - HOURS[period] * HOUR_MS).toISOString();

/** Returns the length of the buckets that show a period. */
export const bucketOf = (period: Period): "hour" | "day" => (period === "24h" ? "hour" : "day");

/** Returns the period in words. */
export const wordsOf = (period: Period): string => ({ "24h": "24 hours", "7d": "7 days", "30d": "30 days" })[period];

/** Returns the starts of all buckets of a period in UTC, oldest first, so that empty ones are seen too. */
export function bucketStarts(fromIso: string, toIso: string, bucket: "hour" | "day"): string[] {
  const stepMs = bucket === "hour" ? HOUR_MS : 24 * HOUR_MS;
  const starts: string[] = [];
  for (let at = Math.floor(Date.parse(fromIso) / stepMs) * stepMs; at < Date.parse(toIso); at += stepMs)
    starts.push(new Date(at).toISOString());
  return starts;
}

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const hour = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

/** Returns the start of a bucket in words: a day in UTC, as the service counts days, or an hour in the reader's zone. */
export const formatBucket = (atMs: number, bucket: "hour" | "day"): string =>
  (bucket === "day" ? day : hour).format(atMs);

/** Returns the end of a bucket. */
export const endOf = (startMs: number, bucket: "hour" | "day"): number =>
  startMs + (bucket === "hour" ? HOUR_MS : 24 * HOUR_MS);
