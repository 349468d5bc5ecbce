import type { RequestShape } from "@svc/contract/requests";
import ky, { isHTTPError, isNetworkError, isTimeoutError, NetworkError, type RetryOptions } from "ky";
import { answerIn, errorIn, retryAfterOf } from "./answer.ts";
import { connectionLost, timedOut } from "./no-answer.ts";
import type { CallOptions } from "./options.ts";
import { isRepeatable, requestOf } from "./request.ts";

/** Settings of a client that all its requests share. */
export type Http = {
  baseUrl: string;
  headers: Readonly<Record<string, string>>;
  fetch: (address: string, init: RequestInit) => Promise<Response>;
  timeoutMs: number;
  retries: number;
};

/** Statuses after which the client retries a repeatable request. */
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
  /** Body of the last answer; empty for a stream. */
  let bytes: Uint8Array = NOTHING;
  const receivedIn = (response: Response) => ({ response, bytes, baseUrl, address });

  /**
   * Sends the request and reads the whole body. So the time limit includes the body, and an incomplete body counts as a lost connection.
   */
  const attempt = async (request: Request): Promise<Response> => {
    try {
      const response = await http.fetch(baseUrl + path, {
        ...init,
        headers,
        // A redirect could send the key to another host. The value `error` would also prevent this, but not every runtime supports it.
        redirect: "manual",
        signal: request.signal,
      });
      const isStream = op.streams === true && response.ok;
      bytes = isStream ? NOTHING : new Uint8Array(await response.arrayBuffer());
      return response;
    } catch (error) {
      // Each runtime has its own errors for a lost connection, and ky does not recognize all of them.
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

/** Returns the options of ky's retries. ky retries only when the wait ends before the time limit of the call. */
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
    // With `undefined`, ky decides by its other options.
    shouldRetry: ({ error, retryCount }) =>
      waitMs(error, retryCount) < endsAt - performance.now() ? undefined : false,
  };
}
