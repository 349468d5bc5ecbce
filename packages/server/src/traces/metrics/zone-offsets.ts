const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** An offset of a time zone, which applies until `beforeMs`. Local time is UTC plus the offset. */
export type ZoneOffset = { beforeMs: number; offsetMs: number };

/** Returns the offsets of the zone from two days before the period to two days after it, in the order of time. The last has no end. */
export function offsetsOf(zone: string, fromMs: number, toMs: number): ZoneOffset[] {
  const offsetAtMs = offsetReader(zone);
  const offsets: ZoneOffset[] = [];
  let atMs = fromMs - 2 * DAY_MS;
  let offsetMs = offsetAtMs(atMs);
  while (atMs < toMs + 2 * DAY_MS) {
    const nextMs = atMs + DAY_MS;
    const next = offsetAtMs(nextMs);
    if (next !== offsetMs) {
      offsets.push({ beforeMs: changeBetween(atMs, nextMs, offsetAtMs), offsetMs });
      offsetMs = next;
    }
    atMs = nextMs;
  }
  return [...offsets, { beforeMs: Infinity, offsetMs }];
}

export function startOfDay(offsets: readonly ZoneOffset[], ms: number): number {
  return utcOf(offsets, Math.floor((ms + offsetAt(offsets, ms)) / DAY_MS) * DAY_MS);
}

export const utcOf = (offsets: readonly ZoneOffset[], localMs: number): number =>
  localMs - offsetAt(offsets, localMs - offsetAt(offsets, localMs));

const offsetAt = (offsets: readonly ZoneOffset[], ms: number): number =>
  offsets.find(({ beforeMs }) => ms < beforeMs)!.offsetMs;

/** The period must contain exactly one change. */
export function changeBetween(fromMs: number, toMs: number, offsetAtMs: (ms: number) => number): number {
  const before = offsetAtMs(fromMs);
  let [low, high] = [Math.floor(fromMs / MINUTE_MS), Math.floor(toMs / MINUTE_MS)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAtMs(middle * MINUTE_MS) === before) low = middle;
    else high = middle;
  }
  return high * MINUTE_MS;
}

export function offsetReader(zone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (ms) => {
    const part = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const local = Date.UTC(
      part["year"]!,
      part["month"]! - 1,
      part["day"],
      part["hour"],
      part["minute"],
      part["second"],
    );
    return local - Math.floor(ms / 1000) * 1000;
  };
}
