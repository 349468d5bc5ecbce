import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { context, createContextKey, ROOT_CONTEXT } from "@opentelemetry/api";
import { type Verdict, verdictOf } from "./verdict.ts";

export type Post = (spans: Uint8Array[], signal: AbortSignal) => Promise<Verdict>;

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
      return verdictOf(response, await readSome(response), origin);
    } catch (error) {
      return {
        kind: "retry",
        problem: `${origin} does not answer (${reasonOf(error)}); spans are held, and tried again until the job ends.`,
      };
    }
  }
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
  if (name === "TimeoutError") return "no answer in time";
  return cause?.code ?? cause?.message ?? name ?? "no connection";
}
