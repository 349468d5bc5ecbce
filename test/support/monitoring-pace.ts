import { PACE, type Pace } from "../../packages/server/src/monitoring/platform-a/pace.ts";

const HOUR = 3_600_000;

/** The intervals of the monitoring in specs: milliseconds instead of seconds, hours and days. */
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

/** Returns the production intervals multiplied by a factor. Limits and the period that a scan covers do not change. */
export function scaledBy(factor: number): Pace {
  const { windowMs, overlapMs, requestMs, leaseMs, replayLeaseMs, graceMs, pageCalls, rereadMs, ...pauses } = PACE;
  const multiplied = Object.fromEntries(Object.entries(pauses).map(([name, ms]) => [name, ms * factor]));
  return { ...PACE, ...multiplied, rereadMs: rereadMs.map((ms) => ms * factor) };
}
