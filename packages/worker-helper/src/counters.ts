/**
 * What became of the spans, counted since monitoring began in this process.
 * `recorded = delivered + refused + dropped + waiting` holds at every moment.
 */
export type MonitorCounters = {
  /** Spans that ended. */
  recorded: number;
  /** Spans that the service confirmed to have on disk. */
  delivered: number;
  /** Spans that the service refused for good; `lastProblem` says why. */
  refused: number;
  /** Spans given up by the helper: the oldest when its memory was full, or those after it had to stop. */
  dropped: number;
  /** Spans held, those being sent among them. */
  waiting: number;
  /** Memory that the held spans take, in bytes. */
  waitingBytes: number;
  /** Requests made, tries included. */
  requests: number;
  /** Requests that failed in a way that is tried again. */
  retries: number;
  /** The last thing that went wrong, with its mend where there is one; never holds the key. */
  lastProblem: string | null;
};

export const newCounters = (): MonitorCounters => ({
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
