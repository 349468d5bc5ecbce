/** Returns a function that runs at most `atOnce` tasks at a time; further tasks wait and start in the order of their calls. */
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
