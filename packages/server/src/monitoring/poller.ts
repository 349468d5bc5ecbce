import { every } from "../every.ts";
import type { Turn } from "./store/scans.ts";
import { type Parts, takeTurn } from "./turn.ts";

/** A setup has one turn at a time, so that its agents are served one after another and its key is not overused. */
const SETUPS_AT_ONCE = 8;

type Poller = {
  /** Looks at once for agents that are due. */
  wake: () => void;
  /** Ends the setup's turn under way; its next one starts with what is stored then. */
  interrupt: (setupId: string) => Promise<void>;
  close: () => Promise<void>;
};

/** Gives each agent that is due its turns, those that waited longest first. */
export function openPoller(parts: Parts): Poller {
  const { scans, log, pace } = parts;
  const closing = new AbortController();
  const busy = new Map<string, { stop: AbortController; ended: Promise<void> }>();
  const polling = every(pace.tickMs, beginDueTurns, closing.signal, (error) =>
    log.error({ err: error }, "finding the agents that are due failed"),
  );

  async function beginDueTurns(): Promise<void> {
    while (busy.size < SETUPS_AT_ONCE && !closing.signal.aborted) {
      const turn = await scans.take(Date.now(), pace.leaseMs, [...busy.keys()]);
      if (!turn) return;
      begin(turn);
    }
  }

  function begin(turn: Turn): void {
    const stop = new AbortController();
    const ended = takeTurn(parts, turn, AbortSignal.any([stop.signal, closing.signal]))
      .catch((error: unknown) => log.error({ err: error }, "a turn could not be ended in order"))
      .finally(() => {
        busy.delete(turn.setup.id);
        polling.now();
      });
    busy.set(turn.setup.id, { stop, ended });
  }

  return {
    wake: polling.now,
    async interrupt(setupId) {
      const turn = busy.get(setupId);
      turn?.stop.abort();
      await turn?.ended;
    },
    async close() {
      closing.abort();
      await polling.idle();
      await Promise.all([...busy.values()].map(({ ended }) => ended));
    },
  };
}
