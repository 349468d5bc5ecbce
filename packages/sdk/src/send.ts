import type { RequestShape } from "@svc/contract/requests";
import ky, { isHTTPError, isNetworkError, isTimeoutError, NetworkError, type RetryOptions } from "ky";
import { answerIn, errorIn, retryAfterOf } from "./answer.ts";
import { connectionLost, timedOut } from "./no-answer.ts";
import type { CallOptions } from "./options.ts";
import { isRepeatable, requestOf } from "./request.ts";

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
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const NOTHING = new Uint8Array();

/** Sends a request of an operation and returns its answer. Throws an `SvcError` for every other outcome. */
export async function send(
  http: Http,
  op: RequestShape,
  input: Record<string, unknown>,
  call: CallOptions,
): Promise<unknown> {
  const { baseUrl } = http;
  const { address: path, init, headers: named } = requestOf(op, input);
  const headers = { ...http.headers, ...named };
  const [address] = (baseUrl + path).split("?", 1) as [string];
  const timeoutMs = Math.min(call.timeoutMs ?? http.timeoutMs, LONGEST_TIMER_MS);
  const retries = isRepeatable(op, input) ? (call.retries ?? http.retries) : 0;
  /** The body of the last answer. */
  let bytes: Uint8Array = NOTHING;
  const receivedIn = (response: Response) => ({ response, bytes, baseUrl, address });

  /** Reads the body too, so that the time limit covers it, and an answer that breaks off is a lost connection. */
  const attempt = async (request: Request): Promise<Response> => {
    try {
      const response = await http.fetch(baseUrl + path, {
        ...init,
        headers,
        // Another host must not get the key. `error` is not known to every runtime.
        redirect: "manual",
        signal: request.signal,
      });
      const isStream = op.streams === true && response.ok;
      bytes = isStream ? NOTHING : new Uint8Array(await response.arrayBuffer());
      return response;
    } catch (error) {
      // Every runtime has other errors for a lost connection, and ky does not know all of them.
      throw request.signal.aborted ? error : new NetworkError(request, { cause: error as Error });
    }
  };

  try {
    const response = await ky(baseUrl + path, {
      method: op.method,
      headers,
      ...(call.signal && { signal: call.signal }),
      timeout: false,
      totalTimeout: timeoutMs,
      retry: retryRule(op.method, retries, performance.now() + timeoutMs),
      throwHttpErrors: (status) => op.alsoAnswers?.includes(status) !== true,
      fetch: (request) => attempt(request as Request),
      hooks: {
        beforeError: [
          ({ error }) => {
            if (isHTTPError(error)) return errorIn(op, receivedIn(error.response));
            if (isTimeoutError(error)) return timedOut(baseUrl, address, timeoutMs);
            return isNetworkError(error) ? connectionLost(baseUrl, address, error.cause) : error;
          },
        ],
      },
    });
    if (op.streams) return response.body;
    return response.status === 204 ? undefined : answerIn(receivedIn(response));
  } catch (error) {
    if (call.signal?.aborted) throw call.signal.reason;
    throw error;
  }
}

/** Returns when ky sends a request again: after a short wait that ends within the time limit. */
function retryRule(method: string, limit: number, endsAt: number): RetryOptions {
  const waitMs = (error: Error, retry: number): number => {
    const seconds = isHTTPError(error) ? retryAfterOf(error.response) : undefined;
    if (seconds === undefined) return Math.min(FIRST_PAUSE_MS * 2 ** retry, LONGEST_PAUSE_MS);
    return seconds > LONGEST_WAIT_SECONDS ? Infinity : seconds * 1000;
  };
  return {
    limit,
    methods: [method.toLowerCase() as "get"],
    statusCodes: TEMPORARY,
    afterStatusCodes: TEMPORARY,
    backoffLimit: LONGEST_PAUSE_MS,
    jitter: (pauseMs) => pauseMs * (0.5 + Math.random()),
    // `undefined` leaves the decision to ky.
    shouldRetry: ({ error, retryCount }) =>
      waitMs(error, retryCount) < endsAt - performance.now() ? undefined : false,
  };
}
