import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { context, createContextKey, ROOT_CONTEXT } from "@opentelemetry/api";
import { rejectedOf } from "./encode.ts";

/** What became of one request. */
export type Verdict =
  | { kind: "taken"; refused: number; problem?: string }
  | { kind: "retry"; problem: string; retryAfterMs?: number }
  | { kind: "too-large"; problem: string }
  | { kind: "refused"; problem: string }
  | { kind: "stop"; problem: string };

export type Post = (spans: Uint8Array[], signal: AbortSignal) => Promise<Verdict>;

const LONGEST_RETRY_AFTER_MS = 60_000;
const MOST_ANSWER_BYTES = 64 << 10;
const compress = promisify(gzip);

// The SDK's own key (`suppressTracing`): an instrumented fetch would make a span of every export, without end.
const NOT_TRACED = ROOT_CONTEXT.setValue(createContextKey("OpenTelemetry SDK Context Key SUPPRESS_TRACING"), true);

/** Sends encoded spans as one OTLP/HTTP request. Never rejects. */
export function postTo(tracesUrl: string, apiKey: string): Post {
  const { origin } = new URL(tracesUrl);
  return (spans, signal) => context.with(NOT_TRACED, () => send(spans, signal));

  async function send(spans: Uint8Array[], signal: AbortSignal): Promise<Verdict> {
    try {
      const response = await fetch(tracesUrl, {
        method: "POST",
        headers: {
          "content-type": "application/x-protobuf",
          "content-encoding": "gzip",
          authorization: `Bearer ${apiKey}`,
        },
        body: await compress(Buffer.concat(spans)),
        redirect: "manual",
        signal,
      });
      const answer = await readSome(response);
      return verdictOf(response, answer, origin);
    } catch (error) {
      return {
        kind: "retry",
        problem: `${origin} does not answer (${reasonOf(error)}); spans are held and tried again.`,
      };
    }
  }
}

function verdictOf({ status, headers }: Response, answer: Uint8Array | undefined, origin: string): Verdict {
  if (status >= 200 && status < 300) {
    if (headers.get("content-type")?.includes("html")) {
      return {
        kind: "refused",
        problem: `${origin} answers with a web page: set SVC_URL to the service's API address.`,
      };
    }
    return takenOf(answer, origin);
  }
  if (status === 401)
    return { kind: "stop", problem: `${origin} does not know the key: set SVC_API_KEY to one that is valid there.` };
  if (status === 403) {
    return {
      kind: "stop",
      problem: "The key may not send spans: set SVC_API_KEY to a project-scoped key with write access.",
    };
  }
  if (status === 413)
    return {
      kind: "too-large",
      problem: `${origin} refuses a span as too large (HTTP 413): raise the limit of the proxy in front of it.`,
    };
  if (status === 408 || status === 425 || status === 429 || status >= 500) {
    const retryAfterMs = retryAfterOf(headers);
    const problem = `${origin} answered HTTP ${status}; spans are held and tried again.`;
    return { kind: "retry", problem, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  }
  if (status < 400)
    return {
      kind: "refused",
      problem: `${origin} redirects (HTTP ${status}), and the key is not sent on: set SVC_URL to the final address.`,
    };
  return {
    kind: "refused",
    problem: `${origin} refuses the spans (HTTP ${status}): check that SVC_URL is the service's API address.`,
  };
}

function takenOf(answer: Uint8Array | undefined, origin: string): Verdict {
  try {
    const { spans, reason } = answer === undefined ? { spans: 0, reason: "" } : rejectedOf(answer);
    if (spans === 0) return { kind: "taken", refused: 0 };
    return { kind: "taken", refused: spans, problem: `${origin} refused ${spans} spans: ${reason.slice(0, 500)}` };
  } catch {
    return { kind: "taken", refused: 0 };
  }
}

/** Seconds or a date, at most a minute. */
function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get("retry-after")?.trim();
  if (!text) return undefined;
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, 0), LONGEST_RETRY_AFTER_MS);
}

/** The body when it is small; a stranger's long page is not read. */
async function readSome(response: Response): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MOST_ANSWER_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function reasonOf(error: unknown): string {
  const { name, cause } = error as { name?: string; cause?: { code?: string; message?: string } };
  return (
    cause?.code ?? cause?.message ?? (name === "TimeoutError" ? "no answer in time" : (name ?? "connection failed"))
  );
}
