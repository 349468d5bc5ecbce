import { rejectedOf } from "./encode.ts";

/** What became of one request. */
export type Verdict =
  | { kind: "taken"; refused: number; limitLeft: number; problem?: string }
  | { kind: "retry"; problem: string; retryAfterMs?: number }
  | { kind: "too-large" | "refused" | "stop"; problem: string };

const LONGEST_RETRY_AFTER_MS = 60_000;

/** Reads an answer; `body` is undefined when it was too long to be the service's. */
export function verdictOf({ status, headers }: Response, body: Uint8Array | undefined, origin: string): Verdict {
  if (status >= 200 && status < 300) {
    const isPage = headers.get("content-type")?.includes("html") === true;
    return isPage
      ? refused(`${origin} answers with a web page: set SVC_URL to the service's API address.`)
      : taken(headers, body, origin);
  }
  if (status < 400) {
    return refused(
      `${origin} redirects (HTTP ${status}), and the key is not sent on: set SVC_URL to the final address.`,
    );
  }
  switch (status) {
    case 401:
      return stop(`${origin} does not know the key: set SVC_API_KEY to one that is valid there.`);
    case 403:
      return stop("The key may not send spans: set SVC_API_KEY to a project-scoped key with write access.");
    case 413: {
      const problem = `${origin} refuses a span as too large (HTTP 413): raise the limit of the proxy in front of it.`;
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

const refused = (problem: string): Verdict => ({ kind: "refused", problem });
const stop = (problem: string): Verdict => ({ kind: "stop", problem });

function retry(status: number, headers: Headers, origin: string): Verdict {
  const retryAfterMs = retryAfterOf(headers);
  const problem = `${origin} answered HTTP ${status}; spans are held, and tried again until the job ends.`;
  return { kind: "retry", problem, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

function taken(headers: Headers, body: Uint8Array | undefined, origin: string): Verdict {
  const { spans, reason } = rejectedOf(body);
  const verdict = { kind: "taken", refused: spans, limitLeft: limitLeftOf(headers) } as const;
  return spans === 0 ? verdict : { ...verdict, problem: `${origin} refused ${spans} spans: ${reason.slice(0, 500)}` };
}

/** The share of the service's limit of requests that is left to all its callers; 1 where it tells none. */
function limitLeftOf(headers: Headers): number {
  const left = Number(headers.get("ratelimit-remaining") ?? NaN) / Number(headers.get("ratelimit-limit"));
  return left >= 0 && left <= 1 ? left : 1;
}

/** Seconds or a date, at most a minute. */
function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get("retry-after")?.trim();
  if (!text) return undefined;
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, 0), LONGEST_RETRY_AFTER_MS);
}
