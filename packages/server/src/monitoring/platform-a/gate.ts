/** Lets so many tasks run at once; the others wait in the order in which they came. */
export function openGate(atOnce: number) {
  const waiting: (() => void)[] = [];
  let running = 0;

  return async function pass<T>(task: () => Promise<T>): Promise<T> {
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
