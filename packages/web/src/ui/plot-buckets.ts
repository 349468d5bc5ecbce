const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;
const DAY_MS = 1_000 * DAY_S;

/** How the time axis of a plot is divided and labelled. */
export type BucketLabels = {
  timeZone: string | undefined;
  /** Possible distances of the axis's labels in seconds. */
  steps: number[];
  label: (atMs: number) => string;
};

/** Days begin at midnight UTC for every reader; hours are in the reader's zone. */
const areDays = (times: readonly number[]): boolean => times.every((time) => time % DAY_MS === 0);

const dayIn = (timeZone?: string) =>
  new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", ...(timeZone && { timeZone }) });
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

/** Returns how a time axis is labelled: `15 Nov` for days; for hours `06:00`, and the day at midnight. */
export function bucketLabels(times: readonly number[]): BucketLabels {
  if (areDays(times)) {
    const day = dayIn("UTC");
    const steps = [1, 2, 3, 7, 14, 28, 56, 112].map((days) => days * DAY_S);
    return { timeZone: "UTC", steps, label: (atMs) => day.format(atMs) };
  }
  const day = dayIn();
  const label = (atMs: number) => (clock.format(atMs) === "00:00" ? day.format(atMs) : clock.format(atMs));
  return { timeZone: undefined, steps: [1, 2, 3, 6, 12, 24, 48, 168, 336].map((hours) => hours * HOUR_S), label };
}

/** Returns the function that names a bucket: `15 Nov UTC` or `15 Nov, 06:00`. */
export function bucketNames(times: readonly number[]): (atMs: number) => string {
  if (areDays(times)) return (atMs) => `${dayIn("UTC").format(atMs)} UTC`;
  return (atMs) => `${dayIn().format(atMs)}, ${clock.format(atMs)}`;
}
