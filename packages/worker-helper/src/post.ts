import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { readAtMost, untraced } from "./own-requests.ts";
import { type PostResult, postResultOf } from "./post-result.ts";

/** Sends encoded spans as one request. Never rejects. */
export type Post = (spans: Uint8Array[], signal: AbortSignal) => Promise<PostResult>;

const MOST_ANSWER_BYTES = 64 << 10;
const compress = promisify(gzip);

/** Creates the function that sends encoded spans to `tracesUrl` as OTLP/HTTP protobuf. */
export function createPost(tracesUrl: string, apiKey: string): Post {
  const { origin } = new URL(tracesUrl);
  return (spans, signal) => untraced(() => send(spans, signal));

  async function send(spans: Uint8Array[], signal: AbortSignal): Promise<PostResult> {
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
      return postResultOf(response, await readAtMost(response, MOST_ANSWER_BYTES), origin);
    } catch (error) {
      return {
        kind: "retry",
        problem: `${origin} does not answer (${reasonOf(error)}); the spans are kept and sent again until the job ends.`,
      };
    }
  }
}

function reasonOf(error: unknown): string {
  const { name, cause } = error as { name?: string; cause?: { code?: string; message?: string } };
  if (name === "TimeoutError") return "no answer in time";
  return cause?.code ?? cause?.message ?? name ?? "no connection";
}
