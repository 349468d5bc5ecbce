import type { RunEvent } from "@svc/contract";
import type { Client } from "./client.ts";
import { SvcError } from "./error.ts";

/** How to follow a run. */
export type FollowOptions = {
  /** The `seq` of the last event that is known already; default 0, from the first event on. */
  after?: number | undefined;
  /** Id or exact name of the run's project; needed with a key that reaches several. */
  projectId?: string | undefined;
  /** Ends following: what is waited for rejects with the signal's reason. The run itself goes on. */
  signal?: AbortSignal | undefined;
  /**
   * Seconds that the service holds a request until something happens, 1 to 25; default 20. Keep it below the client's
   * `timeoutMs`.
   */
  waitSeconds?: number | undefined;
  /** Milliseconds for which the service may be out of reach before following gives up; default 120 000. */
  patienceMs?: number | undefined;
};

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Every event of a run, each once and in its order, as it happens: turns as they are said, simulations as they begin and
 * end, verdicts as they are given. Ends when the run has ended and grading has settled.
 *
 * ```ts
 * for await (const event of followRun(client, run.id)) {
 *   if (event.kind === "grade") console.log(event.simulationId, event.verdict);
 * }
 * const { run: ended } = await client.runs.get({ runId: run.id });
 * ```
 *
 * It long-polls. A lost connection, a restart of the service, 429 and 503 are waited out, for `patienceMs` in a row at
 * most; it then goes on behind the last event, so that none is missed or told twice.
 *
 * @param client - a client that may read the run's project.
 * @param runId - the run's id, `run_…`.
 * @throws SvcError with the service's code when it refuses (`not_found`, `not_authenticated` …), or `unreachable` when the
 *   patience is used up.
 */
export async function* followRun(
  client: Client,
  runId: string,
  { after = 0, projectId, signal, waitSeconds: wait = 20, patienceMs = 120_000 }: FollowOptions = {},
): AsyncGenerator<RunEvent, void, undefined> {
  let lostSinceMs: number | undefined;
  for (let pauseMs = FIRST_PAUSE_MS; ;) {
    let page;
    try {
      page = await client.runs.events({ runId, projectId, after, wait }, signal ? { signal } : {});
    } catch (error) {
      lostSinceMs ??= Date.now();
      const afterMs = isPassing(error) ? Math.max(pauseMs, (error.retryAfterSeconds ?? 0) * 1000) : Infinity;
      if (Date.now() - lostSinceMs + afterMs > patienceMs) throw error;
      await pause(afterMs, signal);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      continue;
    }
    lostSinceMs = undefined;
    pauseMs = FIRST_PAUSE_MS;
    yield* page.events;
    if (page.done) return;
    after = page.next;
  }
}

/** Whether the same request may succeed in a while. */
const isPassing = (error: unknown): error is SvcError =>
  error instanceof SvcError &&
  (error.code === "unreachable" || error.code === "too_many_requests" || error.status === 502 || error.status >= 503);

/** Rejects with the signal's reason when it is aborted meanwhile. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted) stop();
  });
}
