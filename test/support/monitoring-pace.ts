import type { Pace } from "../../packages/server/src/monitoring/platform-a/pace.ts";

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
