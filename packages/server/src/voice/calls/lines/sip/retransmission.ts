/**
 * The timers of RFC 3261 over UDP, section 17: T1 and T2 between repetitions, T4 while a message may be on its way, and 64 T1 until a
 * transaction has failed.
 */
export const TIMERS = { t1Ms: 500, t2Ms: 4_000, t4Ms: 5_000, transactionMs: 64 * 500 } as const;

/** A message that is sent until it is stopped. */
export type Retransmission = {
  /** Repeats it at T2 from now on, because a provisional answer to a request other than INVITE arrived. */
  slow: () => void;
  stop: () => void;
};

/** Sends a message now, after T1, and then after twice the previous time, at most `longestMs`. `late` runs after 64 T1. */
export function retransmit(send: () => void, longestMs: number, late: () => void): Retransmission {
  let waitMs: number = TIMERS.t1Ms;
  let timer: NodeJS.Timeout;
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
  again();
  send();
  return { slow: () => void (waitMs = TIMERS.t2Ms), stop };
}
