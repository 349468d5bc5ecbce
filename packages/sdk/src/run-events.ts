import type { RunEvent } from "@svc/contract";
import type { Client } from "./client.ts";
import { isTemporary, pause } from "./patience.ts";

/** Options of `followRun`. */
export type FollowOptions = {
  /** `seq` of the last event that you received. Default: 0, which yields every event. */
  after?: number | undefined;
  /** Id or exact name of the run's project. Not needed, because the run determines the project. */
  projectId?: string | undefined;
  /** Id of a simulation of the run. Then yields only its events, and ends when it has ended and its grading is final. */
  simulationId?: string | undefined;
  /** Signal that stops the iteration, which then rejects with the signal's reason. The run continues. */
  signal?: AbortSignal | undefined;
  /** Seconds for which the service delays an answer until the next event, 1 to 25. Default: 20. */
  waitSeconds?: number | undefined;
  /** Time in milliseconds for which the service may be unavailable before the iteration fails. Default: 120 000. */
  patienceMs?: number | undefined;
};

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
/** Seconds that a request may take in addition to `waitSeconds`. */
const ANSWER_SECONDS = 10;

/**
 * Yields every event of a run once and in order, as it happens: statuses of the run and of its simulations, turns, and gradings. Ends
 * when the run has ended and its grading is final.
 *
 * ```ts
 * for await (const event of followRun(client, run.id)) {
 *   if (event.kind === "grade") console.log(event.simulationId, event.verdict);
 * }
 * const { run: ended } = await client.runs.get({ runId: run.id });
 * ```
 *
 * Uses long polling. After a lost connection, a restart of the service, or a status 429, 502, 503 or 504, it retries for at most
 * `patienceMs`. It continues after the last event, so no event is lost or repeated.
 *
 * @param client - a client whose credential can read the run's project.
 * @param runId - id of the run, `run_…`.
 * @throws SvcError when the service rejects a request, for example with `not_found` or `not_authenticated`. After `patienceMs`
 *   without an answer, throws the last error.
 */
export async function* followRun(
  client: Client,
  runId: string,
  { after = 0, projectId, simulationId, signal, waitSeconds: wait = 20, patienceMs = 120_000 }: FollowOptions = {},
): AsyncGenerator<RunEvent, void, undefined> {
  let lostSinceMs: number | undefined;
  for (let pauseMs = FIRST_PAUSE_MS; ;) {
    let page;
    try {
      const call = { signal, retries: 0, timeoutMs: (wait + ANSWER_SECONDS) * 1000 };
      page = await client.runs.events({ runId, projectId, simulationId, after, wait }, call);
    } catch (error) {
      lostSinceMs ??= Date.now();
      const afterMs = isTemporary(error) ? Math.max(pauseMs, (error.retryAfterSeconds ?? 0) * 1000) : Infinity;
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
