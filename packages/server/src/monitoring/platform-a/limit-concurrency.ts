/** Runs at most `atOnce` tasks at a time. Further tasks wait, and start in the order in which they were passed. */
export function limitConcurrency(atOnce: number) {
  const waiting: (() => void)[] = [];
  let running = 0;

  return async function run<T>(task: () => Promise<T>): Promise<T> {
    if (running === atOnce) await new Promise<void>((admitted) => waiting.push(admitted));
    else running++;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
