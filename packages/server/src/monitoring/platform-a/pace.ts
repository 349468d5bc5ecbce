const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Intervals and limits of monitoring; times are in milliseconds. Specs use shorter ones. */
export type Pace = {
  /** Interval between two searches for agents that are due. */
  tickMs: number;
  pollMs: number;
  lateMs: number;
  reconcileMs: number;
  /** Age of the start of the oldest calls that a scan lists. */
  windowMs: number;
  /** A scan's window begins this long before the end of the previous window, because the platform lists calls late. */
  overlapMs: number;
  pageCalls: number;
  requestMs: number;
  leaseMs: number;
  replayLeaseMs: number;
  /** Time after the end of a call for which the call may be incomplete before its import counts as failed. */
  graceMs: number;
  /**
   * Pause after an error of the platform. It doubles with each further error, up to the maximum. It is also the first pause after an
   * unanswered request for a call.
   */
  backOffMs: number;
  backOffMaxMs: number;
  /** Pause before a rejected key is tried again. */
  reprobeMs: number;
  /**
   * Bounds of the pause between two attempts to import one call. Within them, the pause is as long as the time since the first
   * failure.
   */
  retryMs: number;
  retryMaxMs: number;
  /** Pauses before each further read of an imported call that has no analysis yet. */
  rereadMs: readonly number[];
};

export const PACE: Pace = {
  tickMs: SECOND,
  pollMs: 30 * SECOND,
  lateMs: 5 * MINUTE,
  reconcileMs: DAY,
  windowMs: 30 * DAY,
  overlapMs: 2 * HOUR,
  pageCalls: 100,
  requestMs: 15 * SECOND,
  leaseMs: MINUTE,
  replayLeaseMs: MINUTE,
  graceMs: 15 * MINUTE,
  backOffMs: 5 * SECOND,
  backOffMaxMs: 5 * MINUTE,
  reprobeMs: HOUR,
  retryMs: MINUTE,
  retryMaxMs: DAY,
  rereadMs: [MINUTE, 5 * MINUTE, 30 * MINUTE, 3 * HOUR, DAY],
};
