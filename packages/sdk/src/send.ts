import type { RequestShape } from "@svc/contract/requests";
import { answerIn, errorIn } from "./answer.ts";
import { SvcError } from "./error.ts";
import type { CallOptions } from "./options.ts";
import { pause } from "./patience.ts";
import { isRepeatable, type WireRequest, requestOf } from "./request.ts";
import { startTimeLimit, type TimeLimit } from "./time-limit.ts";

/** The parts of a client that all its requests share. */
export type Http = {
  baseUrl: string;
  headers: Readonly<Record<string, string>>;
  fetch: (address: string, init: RequestInit) => Promise<Response>;
  timeoutMs: number;
  retries: number;
};

/** Statuses after which a repeatable request is sent again. */
const TEMPORARY = [429, 502, 503, 504];
const LONGEST_WAIT_SECONDS = 10;
const FIRST_PAUSE_MS = 300;
const LONGEST_PAUSE_MS = 5_000;

/** Sends a request of an operation and returns its answer. Throws an `SvcError` for every other outcome. */
export async function send(
  http: Http,
  op: RequestShape,
  input: Record<string, unknown>,
  call: CallOptions,
): Promise<unknown> {
  const request = requestOf(op, input);
  const retries = isRepeatable(op, input) ? (call.retries ?? http.retries) : 0;
  const limit = startTimeLimit(call.timeoutMs ?? http.timeoutMs, call.signal);
  try {
    for (let retry = 0; ; retry++) {
      const outcome = await attempt(http, op, request, limit);
      const waitMs = pauseBefore(retry, outcome);
      if (retry >= retries || waitMs === undefined || waitMs >= limit.leftMs()) {
        if (outcome instanceof SvcError) throw outcome;
        return outcome.answer;
      }
      await pause(waitMs, limit.signal);
    }
  } catch (error) {
    if (call.signal?.aborted) throw call.signal.reason;
    throw error;
  } finally {
    // The caller's signal still ends the stream of events that this call returned.
    if (op.streams) limit.endTimer();
    else limit.end();
  }
}

/** Sends the request once. Returns an `SvcError` for every outcome but an answer. */
async function attempt(
  http: Http,
  op: RequestShape,
  { address, init, headers }: WireRequest,
  { signal }: TimeLimit,
): Promise<{ answer: unknown } | SvcError> {
  try {
    const response = await http.fetch(http.baseUrl + address, {
      ...init,
      headers: { ...http.headers, ...headers },
      // Another host must not get the key. `error` is not known to every runtime.
      redirect: "manual",
      signal,
    });
    const isAnswer = response.ok || op.alsoAnswers?.includes(response.status) === true;
    if (isAnswer && op.streams) return { answer: response.body };
    const body = new Uint8Array(await response.arrayBuffer());
    if (!isAnswer) return errorIn(op, response, body);
    return response.status === 204 ? { answer: undefined } : answerIn(response, body);
  } catch (error) {
    const message = "The service did not answer. Check its address, and check with `svc doctor` that it runs.";
    // The error itself can contain the request and therefore the API key.
    return new SvcError({ code: "unreachable", status: 0, message, cause: (error as Error).cause });
  }
}

/** Returns the pause before the next try; undefined when a try would not help. */
function pauseBefore(retry: number, outcome: { answer: unknown } | SvcError): number | undefined {
  if (!(outcome instanceof SvcError)) return undefined;
  if (outcome.code !== "unreachable" && !TEMPORARY.includes(outcome.status)) return undefined;
  const seconds = outcome.retryAfterSeconds;
  if (seconds !== undefined)
    return seconds <= LONGEST_WAIT_SECONDS ? seconds * 1000 * (1 + Math.random() / 10) : undefined;
  return Math.min(FIRST_PAUSE_MS * 2 ** retry, LONGEST_PAUSE_MS) * (0.5 + Math.random());
}
