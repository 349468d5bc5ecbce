import { rejectedSpans } from "./encode.ts";

/** Outcome of one request with spans. */
export type PostResult =
  | { kind: "accepted"; refused: number; limitLeft: number; problem?: string }
  | { kind: "retry"; problem: string; retryAfterMs?: number }
  | { kind: "too-large" | "refused" | "stop"; problem: string };

const LONGEST_RETRY_AFTER_MS = 60_000;
const KEY_NOTICE_DAYS = 10;
const SECONDS_PER_DAY = 86_400;

/** Returns the outcome of a request from its answer. `body` is undefined when it was longer than any answer of the service. */
export function postResultOf({ status, headers }: Response, body: Uint8Array | undefined, origin: string): PostResult {
  if (status >= 200 && status < 300) {
    const isPage = headers.get("content-type")?.includes("html") === true;
    return isPage
      ? refused(`${origin} answers with a web page: set SVC_URL to the service's API address.`)
      : accepted(headers, body, origin);
  }
  if (status < 400) {
    return refused(
      `${origin} redirects (HTTP ${status}), and the key is not sent to another address: set SVC_URL to the final address.`,
    );
  }
  switch (status) {
    case 401:
      return stop(`${origin} does not know the key: set SVC_API_KEY to a key that is valid there.`);
    case 403:
      return stop("The key may not send spans: set SVC_API_KEY to a project-scoped key with the permission ingest.");
    case 413: {
      const problem = `${origin} refuses a request as too large (HTTP 413): raise the limit of the proxy in front of it.`;
      return { kind: "too-large", problem };
    }
    case 408:
    case 425:
    case 429:
      return retry(status, headers, origin);
    default:
      if (status >= 500) return retry(status, headers, origin);
      return refused(`${origin} refuses the spans (HTTP ${status}): check that SVC_URL is the service's API address.`);
  }
}

const refused = (problem: string): PostResult => ({ kind: "refused", problem });
const stop = (problem: string): PostResult => ({ kind: "stop", problem });

function retry(status: number, headers: Headers, origin: string): PostResult {
  const retryAfterMs = retryAfterOf(headers);
  const problem = `${origin} answered HTTP ${status}; the spans are kept and sent again until the job ends.`;
  return { kind: "retry", problem, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

function accepted(headers: Headers, body: Uint8Array | undefined, origin: string): PostResult {
  const { count, reason } = rejectedSpans(body);
  const result = { kind: "accepted", refused: count, limitLeft: limitLeftOf(headers) } as const;
  const ending = endOfKey(headers, origin);
  if (count === 0) return ending === undefined ? result : { ...result, problem: ending };
  return { ...result, problem: `${origin} refused ${count} spans: ${reason.slice(0, 500)}` };
}

/** Returns a warning when the key expires within ten days; undefined otherwise. */
function endOfKey(headers: Headers, origin: string): string | undefined {
  const seconds = Number(headers.get("svc-key-expires-in") ?? NaN);
  if (!(seconds < KEY_NOTICE_DAYS * SECONDS_PER_DAY)) return undefined;
  const days = Math.ceil(seconds / SECONDS_PER_DAY);
  return `The key for ${origin} expires in ${days === 1 ? "a day" : `${days} days`}: create another one, and set SVC_API_KEY to it.`;
}

/** Returns the remaining share of the request limit in the answer's headers, from 0 to 1; 1 when the headers lack it. */
function limitLeftOf(headers: Headers): number {
  const left = Number(headers.get("ratelimit-remaining") ?? NaN) / Number(headers.get("ratelimit-limit"));
  return left >= 0 && left <= 1 ? left : 1;
}

/** Returns the milliseconds until the time in `Retry-After` (seconds or a date), at most one minute; undefined without a valid header. */
function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get("retry-after")?.trim();
  if (!text) return undefined;
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, 0), LONGEST_RETRY_AFTER_MS);
}
