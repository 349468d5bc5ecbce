/**
 * Numbers of spans by state, since the call of `monitor_platform_b` in this process. At every moment,
 * `recorded = delivered + refused + dropped + waiting`.
 */
export type MonitorCounters = {
  /** Spans that have ended. */
  recorded: number;
  /** Spans that the service has confirmed to be on its disk. */
  delivered: number;
  /** Spans that the service rejected. The helper does not send them again. `lastProblem` contains the reason. */
  refused: number;
  /** Spans that the helper dropped: the oldest spans when its memory was full, and all undelivered spans after it stopped. */
  dropped: number;
  /** Spans in memory, including the spans of the current request. */
  waiting: number;
  /** Size of the waiting spans in bytes. */
  waitingBytes: number;
  /** Requests sent, including retries. */
  requests: number;
  /** Requests that failed and whose spans the helper sends again. */
  retries: number;
  /** Latest problem, with its remedy if known; null without a problem. Never contains the API key. */
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
