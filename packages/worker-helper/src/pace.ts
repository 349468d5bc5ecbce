/** The times and sizes of deliveries. The documentation of `monitor_platform_b` states them. */
export const PACE = {
  /**
   * The longest time between a span's end and its request. It grows to `longestFlushMs` as less of the request limit is
   * left.
   */
  flushMs: 1_000,
  longestFlushMs: 15_000,
  batch: { spans: 256, bytes: 4 << 20 },
  spool: { spans: 8_192, bytes: 16 << 20 },
  requestTimeoutMs: 10_000,
  firstBackoffMs: 500,
  longestBackoffMs: 15_000,
  /** A flush shortens a pause to leave this much time for a last attempt. */
  lastTryMs: 1_000,
  /** The largest number of different problems that are logged. Each is logged once. */
  warnings: 20,
};
