import type { MonitorCounters } from "./counters.ts";
import type { Delivery } from "./delivery.ts";

/** The end of the job: sends what is held, lets other exporters on our provider do so too, and takes no longer than the bound. */
export async function endOfJob({
  delivery,
  flushOthers,
  counters,
  warn,
  timeoutMs,
}: {
  delivery: Delivery;
  flushOthers: () => Promise<void>;
  counters: MonitorCounters;
  warn: (problem: string) => void;
  timeoutMs: number;
}): Promise<void> {
  let late: NodeJS.Timeout | undefined;
  const tooLate = new Promise<void>((resolve) => {
    late = setTimeout(resolve, timeoutMs);
  });
  const others = flushOthers().catch(() => {});
  const [delivered] = await Promise.all([delivery.flush(timeoutMs), Promise.race([others, tooLate])]);
  clearTimeout(late);
  if (!delivered) delivery.stop();
  const lost = counters.recorded - counters.delivered;
  if (lost > 0) warn(`The job ended without ${lost} of its ${counters.recorded} spans: ${counters.lastProblem}`);
}
