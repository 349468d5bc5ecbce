import type { EmbeddingsSettings } from "../base/config/config.ts";
import { exchange, OutboundFailure } from "../base/net/outbound.ts";
import { retryAfterSecondsOf } from "../base/net/retry-after.ts";
import { type Vector, vectorOf } from "./meaning.ts";

const ANSWER_BYTES_MAX = 8 * 1024 * 1024;

/** Error of a request to the embeddings endpoint. The message contains nothing that the endpoint sent. */
export class EmbeddingsFailure extends Error {
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, retryAfterSeconds?: number) {
    super(`The embeddings endpoint ${message}.`);
    this.name = "EmbeddingsFailure";
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Returns the vectors of the texts, in their order and all of one length. Throws an `EmbeddingsFailure` if the endpoint has no such answer. */
export type Embed = (texts: readonly string[], signal: AbortSignal) => Promise<Vector[]>;

/** Creates a client of an endpoint of the OpenAI embeddings API. */
export function createEmbed({ baseUrl, apiKey, model }: EmbeddingsSettings, timeoutMs: number): Embed {
  const url = new URL(`${baseUrl}/embeddings`);
  return async (texts, signal) => {
    const { status, headers, body } = await exchange({
      method: "POST",
      url,
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      json: { model, input: texts },
      timeoutMs,
      maxBytes: ANSWER_BYTES_MAX,
      privateAddresses: "allow",
      signal,
    }).catch((error: unknown) => {
      if (!(error instanceof OutboundFailure)) throw error;
      throw new EmbeddingsFailure(`gave no answer: ${error.message}`);
    });
    if (status !== 200) throw new EmbeddingsFailure(`answered with the status ${status}`, retryAfterSecondsOf(headers));
    const vectors = vectorsIn(body, texts.length);
    if (vectors === undefined)
      throw new EmbeddingsFailure("answered with something that is not one vector for each text");
    return vectors;
  };
}

function vectorsIn(body: Buffer, count: number): Vector[] | undefined {
  const data = dataIn(body);
  if (!Array.isArray(data) || data.length !== count) return undefined;
  const vectors = new Map<number, Vector>();
  for (const item of data as unknown[]) {
    const { index, embedding } = (item ?? {}) as { index?: unknown; embedding?: unknown };
    const vector = vectorOf(embedding);
    if (vector === undefined || typeof index !== "number") return undefined;
    vectors.set(index, vector);
  }
  const inOrder = Array.from({ length: count }, (_, index) => vectors.get(index));
  const isWhole = inOrder.every((vector) => vector !== undefined && vector.length === inOrder[0]!.length);
  return isWhole ? (inOrder as Vector[]) : undefined;
}

function dataIn(body: Buffer): unknown {
  try {
    return (JSON.parse(body.toString("utf8")) as { data?: unknown } | null)?.data;
  } catch {
    return undefined;
  }
}
