import { PACE, type Pace } from "../../packages/server/src/monitoring/platform-a/pace.ts";

const HOUR = 3_600_000;

/** The pace of monitoring for specs: milliseconds instead of seconds, hours and days. */
export const FAST: Partial<Pace> = {
  tickMs: 10,
  pollMs: 40,
  lateMs: 40,
  requestMs: 10_000,
  backOffMs: 10,
  backOffMaxMs: 40,
  reprobeMs: 100,
  retryMs: 20,
  retryMaxMs: 100,
  rereadMs: [...Array.from({ length: 500 }, () => 20), HOUR],
};

/** Returns the pace of production with every pause and interval multiplied; limits and the scanned window stay. */
export function scaledBy(factor: number): Pace {
  const { windowMs, overlapMs, requestMs, leaseMs, replayLeaseMs, graceMs, pageCalls, rereadMs, ...pauses } = PACE;
  const multiplied = Object.fromEntries(Object.entries(pauses).map(([name, ms]) => [name, ms * factor]));
  return { ...PACE, ...multiplied, rereadMs: rereadMs.map((ms) => ms * factor) };
}
