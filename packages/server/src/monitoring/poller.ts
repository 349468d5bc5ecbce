import { takeTurn, type Parts } from "./turn.ts";

/** A setup has one turn at a time, so that its agents are served one after another and its key is not overused. */
const SETUPS_AT_ONCE = 8;

export type Poller = {
  /** Looks at once for agents that are due. */
  wake: () => void;
  /** Ends the setup's turn under way; its next one starts with what is stored then. */
  interrupt: (setupId: string) => Promise<void>;
  close: () => Promise<void>;
};

/** Gives each agent that is due its turns, those that waited longest first. */
export function openPoller(parts: Parts): Poller {
  const { scans, log, pace } = parts;
  const busy = new Map<string, { stop: AbortController; ended: Promise<void> }>();
  let closed = false;
  let looking: Promise<void> | undefined;
  let lookAgain = false;

  function wake(): void {
    if (closed) return;
    lookAgain = true;
    looking ??= look()
      .catch((error: unknown) => log.error({ err: error }, "agents that are due could not be looked for"))
      .finally(() => (looking = undefined));
  }

  async function look(): Promise<void> {
    while (lookAgain && !closed) {
      lookAgain = false;
      while (busy.size < SETUPS_AT_ONCE && !closed) {
        const turn = await scans.take(Date.now(), pace.leaseMs, [...busy.keys()]);
        if (!turn) break;
        begin(turn);
      }
    }
  }

  function begin(turn: Parameters<typeof takeTurn>[1]): void {
    const stop = new AbortController();
    if (closed) stop.abort();
    const ended = takeTurn(parts, turn, stop.signal)
      .catch((error: unknown) => log.error({ err: error }, "a turn could not be ended in order"))
      .finally(() => {
        busy.delete(turn.setup.id);
        wake();
      });
    busy.set(turn.setup.id, { stop, ended });
  }

  async function interrupt(setupId: string): Promise<void> {
    const turn = busy.get(setupId);
    turn?.stop.abort();
    await turn?.ended;
  }

  const timer = setInterval(wake, pace.tickMs);
  wake();
  return {
    wake,
    interrupt,
    async close() {
      closed = true;
      clearInterval(timer);
      await looking;
      await Promise.all([...busy.keys()].map(interrupt));
    },
  };
}
