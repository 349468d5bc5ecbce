/**
 * Timers of RFC 3261, section 17. T1 and T2 are intervals between repetitions. T4 is the longest time that a message is on its
 * way. A transaction fails after 64 T1.
 */
export const TIMERS = { t1Ms: 500, t2Ms: 4_000, t4Ms: 5_000, transactionMs: 64 * 500 } as const;

export type Retransmission = {
  /** Sets the interval to T2, because a provisional response to a request other than INVITE has arrived. */
  slow: () => void;
  stop: () => void;
};

/**
 * Sends a message now, again after T1, and then after intervals that double up to `longestMs`. Calls `late` after 64 T1. `isOnce`: the
 * transport delivers the message, so that it is not sent again.
 */
export function retransmit(send: () => void, longestMs: number, late: () => void, isOnce = false): Retransmission {
  let waitMs: number = TIMERS.t1Ms;
  let timer: NodeJS.Timeout | undefined;
  const again = () => {
    timer = setTimeout(() => {
      waitMs = Math.min(waitMs * 2, longestMs);
      again();
      send();
    }, waitMs);
  };
  const stop = () => {
    clearTimeout(timer);
    clearTimeout(end);
  };
  const end = setTimeout(() => {
    stop();
    late();
  }, TIMERS.transactionMs);
  if (!isOnce) again();
  send();
  return { slow: () => void (waitMs = TIMERS.t2Ms), stop };
}
