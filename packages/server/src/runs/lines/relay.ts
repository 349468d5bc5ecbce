import { randomUUID } from "node:crypto";
import type { ErrorCode } from "@svc/contract/constants";
import { AppError } from "../../base/errors.ts";
import type { Log } from "../../base/log/log.ts";
import type { Notices } from "../../stores/notices.ts";
import { createChanges } from "../changes.ts";
import type { RelayedRequestStore } from "../store/relayed-requests.ts";

/** Time in which the process that plays a conversation must take a request. After this time, the request is withdrawn. */
const TAKE_MS = 3_000;
/** Longest wait for an answer. It is longer than a client's wait for a message and the delay of a mock. */
export const RELAYED_MS = 90_000;
/** Interval at which the asking process sends its notice again and reads the row, because a notice can get lost. */
const LOOK_EVERY_MS = 500;
const REMOVE_OLD_MS = 60_000;

type Answer = (request: unknown, signal: AbortSignal) => Promise<unknown>;

/**
 * Passes requests about a conversation to the process that plays it. `holder` is the name under which that process answers; it
 * must not contain a space.
 */
export type Relay = {
  /** Answers the requests of other processes for `holder`, until the returned function is called. */
  hold: (holder: string, answer: Answer) => () => void;
  /**
   * Passes a request to another process and returns its answer, or throws the error with which it rejected the request. Returns
   * undefined when no process takes the request, or when the signal aborts.
   */
  ask: (holder: string, request: unknown, signal: AbortSignal) => Promise<{ answer: unknown } | undefined>;
};

/** Creates the relay of a process that plays every conversation itself. */
export const createLocalRelay = (): Relay => ({
  hold: () => () => undefined,
  ask: () => Promise.resolve(undefined),
});

type Needs = { store: RelayedRequestStore; notices: Notices; log: Log };

type Outcome =
  | { answer: unknown }
  | { refusal: { code: ErrorCode; message: string; retryAfterSeconds?: number } }
  | null;

export function openRelay({ store, notices, log }: Needs, closing: AbortSignal): Relay {
  const holders = new Map<string, Answer>();
  const answered = createChanges();
  let removedMs = performance.now();

  const warn = (error: unknown) => log.warn({ err: error }, "requests of other processes could not be answered");
  notices.listen("relayed_request", (holder) => {
    const wanted = holder === undefined ? [...holders.keys()] : holders.has(holder) ? [holder] : [];
    if (wanted.length > 0) void answerAll(wanted).catch(warn);
  });
  notices.listen("answered_request", (id) => (id === undefined ? answered.anyChanged() : answered.changed(id)));

  async function answerAll(wanted: readonly string[]): Promise<void> {
    const taken = await store.take(wanted);
    await Promise.all(
      taken.map(async ({ id, holder, request }) => {
        await store.answer(id, await outcomeOf(holders.get(holder), JSON.parse(request)));
        notices.send("answered_request", id);
      }),
    );
  }

  /** Returns the answer, or the `AppError` of the answer function. Returns null when the function failed in another way. */
  async function outcomeOf(answer: Answer | undefined, request: unknown): Promise<Outcome> {
    try {
      return { answer: await answer!(request, closing) };
    } catch (error) {
      if (error instanceof AppError) {
        const { code, message, retryAfterSeconds } = error;
        return { refusal: { code, message, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) } };
      }
      if (!closing.aborted) warn(error);
      return null;
    }
  }

  async function wait(id: string, holder: string, signal: AbortSignal): Promise<Outcome | undefined> {
    const startMs = performance.now();
    for (let isTaken = false; !signal.aborted && performance.now() - startMs < RELAYED_MS;) {
      const changed = answered.next(id, LOOK_EVERY_MS, signal);
      if (!isTaken) notices.send("relayed_request", holder);
      await changed;
      const row = await store.read(id);
      if (row === undefined) return undefined;
      if (row.answer !== null) return JSON.parse(row.answer) as Outcome;
      isTaken = row.taken === 1;
      if (!isTaken && performance.now() - startMs > TAKE_MS && (await store.withdraw(id))) return undefined;
    }
    return undefined;
  }

  return {
    hold(holder, answer) {
      holders.set(holder, answer);
      return () => {
        if (holders.get(holder) === answer) holders.delete(holder);
      };
    },

    async ask(holder, request, signal) {
      if (performance.now() - removedMs > REMOVE_OLD_MS) {
        removedMs = performance.now();
        await store.removeOld();
      }
      const id = randomUUID();
      await store.add(id, holder, request);
      const outcome = await wait(id, holder, AbortSignal.any([signal, closing])).finally(() => store.remove(id));
      if (outcome === undefined) return undefined;
      if (outcome === null) throw new Error("the process that holds the conversation could not answer");
      if ("answer" in outcome) return outcome;
      const { code, message, ...options } = outcome.refusal;
      throw new AppError(code, message, undefined, options);
    },
  };
}
