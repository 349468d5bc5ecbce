type Work<T> = { result: Promise<T>; waiting: number; cancel: AbortController };

/** Work that is under way once for all who wait for it; it is canceled when the last of them leaves. */
export function openSharedWork<T>() {
  const underWay = new Map<string, Work<T>>();

  function start(key: string, run: (signal: AbortSignal) => Promise<T>): Work<T> {
    const cancel = new AbortController();
    const work = { result: run(cancel.signal), waiting: 0, cancel };
    underWay.set(key, work);
    const end = () => void (underWay.get(key) === work && underWay.delete(key));
    work.result.then(end, end);
    return work;
  }

  return {
    async join(key: string, run: (signal: AbortSignal) => Promise<T>, leave?: AbortSignal): Promise<T> {
      leave?.throwIfAborted();
      const work = underWay.get(key) ?? start(key, run);
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
          if (underWay.get(key) === work) underWay.delete(key);
        }
      }
    },

    cancelAll(): void {
      for (const { cancel } of underWay.values()) cancel.abort();
    },
  };
}
