/** Times and sizes of deliveries. The docstring of `monitor_platform_b` states the same values. */
export const PACE = {
  /** Maximum time between the end of a span and its request. It grows up to `longestFlushMs` as the service's request limit runs out. */
  flushMs: 1_000,
  longestFlushMs: 15_000,
  batch: { spans: 256, bytes: 4 << 20 },
  spool: { spans: 8_192, bytes: 16 << 20 },
  requestTimeoutMs: 10_000,
  firstBackoffMs: 500,
  longestBackoffMs: 15_000,
  /** Time for a last attempt. A flush shortens a pause so that this much time is left before its deadline. */
  lastTryMs: 1_000,
  /** Maximum number of different problems in the log. The helper logs each problem once. */
  warnings: 20,
};
