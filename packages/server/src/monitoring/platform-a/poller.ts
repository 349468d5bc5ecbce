import { every } from "../../base/async/every.ts";
import type { ImportContext } from "./import-context.ts";
import { runScanStep } from "./scan-step.ts";
import type { ScanLease } from "../store/scans.ts";

/**
 * Largest number of setups whose calls are imported at once. A setup runs one step at a time, so that its agents take turns and its key
 * does not exceed the platform's limits.
 */
const SETUPS_AT_ONCE = 8;

type Poller = {
  wake: () => void;
  /** Ends the setup's current step. The next step reads the stored setup again. */
  interrupt: (setupId: string) => Promise<void>;
  close: () => Promise<void>;
};

/** Runs scan steps of due agents until `close`. Starts with the agent that has been due longest. */
export function openPoller(context: ImportContext): Poller {
  const { scans, log, pace } = context;
  const closing = new AbortController();
  const running = new Map<string, { stop: AbortController; ended: Promise<void> }>();
  const polling = every(pace.tickMs, startDueSteps, closing.signal, (error) =>
    log.error({ err: error }, "the search for due agents failed"),
  );

  async function startDueSteps(): Promise<void> {
    while (running.size < SETUPS_AT_ONCE && !closing.signal.aborted) {
      const lease = await scans.leaseNext(Date.now(), pace.leaseMs, [...running.keys()]);
      if (!lease) return;
      start(lease);
    }
  }

  function start(lease: ScanLease): void {
    const stop = new AbortController();
    const ended = runScanStep(context, lease, AbortSignal.any([stop.signal, closing.signal]))
      .catch((error: unknown) => log.error({ err: error }, "the end of a scan step could not be stored"))
      .finally(() => {
        running.delete(lease.setup.id);
        polling.now();
      });
    running.set(lease.setup.id, { stop, ended });
  }

  return {
    wake: polling.now,
    async interrupt(setupId) {
      const step = running.get(setupId);
      step?.stop.abort();
      await step?.ended;
    },
    async close() {
      closing.abort();
      await polling.idle();
      await Promise.all([...running.values()].map(({ ended }) => ended));
    },
  };
}
