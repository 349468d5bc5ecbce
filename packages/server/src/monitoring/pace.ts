const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How often and how far back monitoring looks, in milliseconds. Specs run at another pace. */
export type Pace = {
  /** Between two looks for agents that are due. */
  tickMs: number;
  pollMs: number;
  lateMs: number;
  reconcileMs: number;
  /** How far back calls are listed. */
  windowMs: number;
  /** What a scan looks at again of what the one before has seen: the platform lists calls late. */
  overlapMs: number;
  pageCalls: number;
  /** For one request to the platform. */
  requestMs: number;
  leaseMs: number;
  replayLeaseMs: number;
  /** How long after its end a call may stay incomplete before that is a failure. */
  graceMs: number;
  /** After failures of the platform: doubled each time, up to the greatest. */
  backOffMs: number;
  backOffMaxMs: number;
  /** Until a rejected key is tried again. */
  reprobeMs: number;
  /** Between attempts at one call: as long as it has failed, within these. */
  retryMs: number;
  retryMaxMs: number;
  /** When an imported call without an analysis is looked at again, after each look. */
  looksMs: readonly number[];
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
  looksMs: [MINUTE, 5 * MINUTE, 30 * MINUTE, 3 * HOUR, DAY],
};
