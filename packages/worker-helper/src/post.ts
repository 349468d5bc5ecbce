import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { readSome, untraced } from "./own-requests.ts";
import { type Verdict, verdictOf } from "./verdict.ts";

export type Post = (spans: Uint8Array[], signal: AbortSignal) => Promise<Verdict>;

const MOST_ANSWER_BYTES = 64 << 10;
const compress = promisify(gzip);

/** Sends encoded spans as one OTLP/HTTP request. Never rejects. */
export function postTo(tracesUrl: string, apiKey: string): Post {
  const { origin } = new URL(tracesUrl);
  return (spans, signal) => untraced(() => send(spans, signal));

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
      return verdictOf(response, await readSome(response, MOST_ANSWER_BYTES), origin);
    } catch (error) {
      return {
        kind: "retry",
        problem: `${origin} does not answer (${reasonOf(error)}); spans are held, and tried again until the job ends.`,
      };
    }
  }
}

function reasonOf(error: unknown): string {
  const { name, cause } = error as { name?: string; cause?: { code?: string; message?: string } };
  if (name === "TimeoutError") return "no answer in time";
  return cause?.code ?? cause?.message ?? name ?? "no connection";
}
