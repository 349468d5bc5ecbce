type Work<T> = { result: Promise<T>; waiting: number; cancel: AbortController };

type SharedWork<T> = {
  /**
   * Returns the result of the work under this key. Starts the work with `run` if it is not running. Rejects when `leave` aborts. Cancels
   * the work when its last caller has left.
   */
  join: (key: string, run: (signal: AbortSignal) => Promise<T>, leave?: AbortSignal) => Promise<T>;
  cancelAll: () => void;
};

/** Creates shared work. Callers with the same key share one run of it. */
export function createSharedWork<T>(): SharedWork<T> {
  const running = new Map<string, Work<T>>();

  function start(key: string, run: (signal: AbortSignal) => Promise<T>): Work<T> {
    const cancel = new AbortController();
    const work = { result: run(cancel.signal), waiting: 0, cancel };
    running.set(key, work);
    const end = () => void (running.get(key) === work && running.delete(key));
    work.result.then(end, end);
    return work;
  }

  return {
    async join(key, run, leave) {
      leave?.throwIfAborted();
      const work = running.get(key) ?? start(key, run);
      work.waiting++;
      const left = Promise.withResolvers<never>();
      const onLeave = () => left.reject(leave!.reason);
      leave?.addEventListener("abort", onLeave, { once: true });
      try {
        return await Promise.race([work.result, left.promise]);
      } finally {
        leave?.removeEventListener("abort", onLeave);
        if (--work.waiting === 0) {
          work.cancel.abort();
          if (running.get(key) === work) running.delete(key);
        }
      }
    },

    cancelAll() {
      for (const { cancel } of running.values()) cancel.abort();
    },
  };
}
