import type { MonitorCounters } from "./counters.ts";
import type { Delivery } from "./delivery.ts";

type Shutdown = {
  delivery: Delivery;
  flushOthers: () => Promise<void>;
  counters: MonitorCounters;
  warn: (problem: string) => void;
  timeoutMs: number;
};

/**
 * Sends the waiting spans at the end of the job, and flushes the other exporters of the helper's provider. Waits at most `timeoutMs`
 * milliseconds, and then drops the remaining spans. Warns about spans that were not delivered.
 */
export async function finishJob({ delivery, flushOthers, counters, warn, timeoutMs }: Shutdown): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  const others = flushOthers().catch(() => {});
  const [isComplete] = await Promise.all([delivery.flush(timeoutMs), Promise.race([others, timeout])]);
  clearTimeout(timer);
  if (!isComplete) delivery.stop();
  const lost = counters.recorded - counters.delivered;
  if (lost > 0)
    warn(`The job ended, and ${lost} of its ${counters.recorded} spans were not delivered: ${counters.lastProblem}`);
}
