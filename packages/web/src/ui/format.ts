// Formatting of numbers and times for people. An unknown value is a dash, never 0.

export const UNKNOWN = "–";
/** A minus sign as wide as a plus sign. */
const MINUS = "−";

const counts = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const decimals = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });

export const formatCount = (count: number | null | undefined): string =>
  count === null || count === undefined ? UNKNOWN : counts.format(count);

/** Examples: `870 ms`, `1.19 s`, `12.4 s`, `3:05`, `1:02:30`. */
export function formatMs(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return UNKNOWN;
  const size = Math.abs(ms);
  return `${ms < 0 && Math.round(size) > 0 ? MINUS : ""}${durationOf(size)}`;
}

function durationOf(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9_995) return `${(ms / 1_000).toFixed(2)} s`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  return clockOf(Math.round(ms / 1_000));
}

/** Examples: `0:41`, `1:02:30`. */
export const formatClock = (ms: number): string => clockOf(Math.floor(ms / 1_000));

function clockOf(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60), seconds % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** Examples: `0.4%`, `67%`. Only exactly 0 is `0%`, and only exactly 1 is `100%`. */
export function formatPercent(share: number | null | undefined): string {
  if (share === null || share === undefined) return UNKNOWN;
  const percent = share * 100;
  if (percent === 0 || percent === 100) return `${percent}%`;
  if (percent < 1) return `${Math.max(0.1, Number(percent.toFixed(1)))}%`;
  if (percent > 99) return `${Math.min(99.9, Number(percent.toFixed(1)))}%`;
  return `${Math.round(percent)}%`;
}

export const formatNumber = (value: number | null | undefined): string =>
  value === null || value === undefined ? UNKNOWN : decimals.format(value);

export function formatMeasure(value: number | null | undefined, unit: string): string {
  if (value === null || value === undefined) return UNKNOWN;
  if (unit === "ms") return formatMs(value);
  if (unit === "ratio") return formatPercent(value);
  if (unit === "count") return formatNumber(value);
  return `${formatNumber(Math.abs(value) < 10 ? value : Math.round(value))} ${unit}`;
}

/** A cost has no currency sign, because the currency is that of the configured prices. */
export const formatCost = (cost: number | null | undefined): string =>
  cost === null || cost === undefined ? UNKNOWN : cost !== 0 && cost < 0.01 ? "< 0.01" : cost.toFixed(2);

export const formatPlural = (count: number, noun: string, plural = `${noun}s`): string =>
  `${formatCount(count)} ${count === 1 ? noun : plural}`;

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const dayOfYear = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const clockWithSeconds = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** Examples in the reader's time zone: `22 Nov`, or `22 Nov 2025` outside of the current year. */
export function formatDay(at: string | number | Date, now = new Date()): string {
  const date = new Date(at);
  return (date.getFullYear() === now.getFullYear() ? day : dayOfYear).format(date);
}

/** Example in the reader's time zone: `22 Nov, 06:02`. */
export const formatDateTime = (at: string | number | Date, now = new Date()): string =>
  `${formatDay(at, now)}, ${clock.format(new Date(at))}`;

/** Examples in the reader's time zone: `Today 06:02`, `Yesterday 06:02`, `15 Nov 06:02`. */
export function formatMoment(at: string | number | Date, now = new Date()): string {
  const date = new Date(at);
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  const day = [now, yesterday].findIndex((near) => near.toDateString() === date.toDateString());
  return `${["Today", "Yesterday"][day] ?? formatDay(date, now)} ${clock.format(date)}`;
}

/** Example in the reader's time zone: `06:02:11`. */
export const formatTimeOfDay = (at: string | number | Date): string => clockWithSeconds.format(new Date(at));

export const formatUtc = (at: string | number | Date): string =>
  `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Examples: `now`, `5 min ago`, `in 3 h`, `2 days ago`. From 7 days on, returns the date. */
export function formatAgo(at: string | number | Date, now = new Date()): string {
  const distanceMs = now.getTime() - new Date(at).getTime();
  const size = Math.abs(distanceMs);
  if (size >= 7 * DAY_MS) return formatDay(at, now);
  if (size < 45_000) return "now";
  const text =
    size < HOUR_MS - MINUTE_MS / 2
      ? `${Math.round(size / MINUTE_MS)} min`
      : size < DAY_MS - HOUR_MS / 2
        ? `${Math.round(size / HOUR_MS)} h`
        : formatPlural(Math.round(size / DAY_MS), "day");
  return distanceMs < 0 ? `in ${text}` : `${text} ago`;
}
