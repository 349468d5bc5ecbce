/**
 * The number of spans in each state, counted since `monitor_platform_b` was called in this process.
 * `recorded = delivered + refused + dropped + waiting` is true at every moment.
 */
export type MonitorCounters = {
  /** Spans that have ended. */
  recorded: number;
  /** Spans that the service has confirmed to be on its disk. */
  delivered: number;
  /** Spans that the service refused and that are not sent again. `lastProblem` states the reason. */
  refused: number;
  /** Spans that the helper gave up: the oldest when its memory was full, and all others after it stopped. */
  dropped: number;
  /** Spans in memory, including those of the request under way. */
  waiting: number;
  /** Memory that the waiting spans occupy, in bytes. */
  waitingBytes: number;
  /** Requests sent, including repeated ones. */
  requests: number;
  /** Requests that failed and are repeated. */
  retries: number;
  /** The latest problem, with its remedy if there is one; null without a problem. Never contains the API key. */
  lastProblem: string | null;
};

export const createCounters = (): MonitorCounters => ({
  recorded: 0,
  delivered: 0,
  refused: 0,
  dropped: 0,
  waiting: 0,
  waitingBytes: 0,
  requests: 0,
  retries: 0,
  lastProblem: null,
});
