import { setTimeout as sleep } from "node:timers/promises";
import { text } from "node:stream/consumers";
import { AwsV4Signer } from "aws4fetch";
import type { S3Settings } from "../../base/config/config.ts";
import {
  exchange,
  openAnswer,
  type OutboundAnswer,
  type OutboundRequest,
  type StreamedAnswer,
} from "../../base/net/outbound.ts";
import { codeIn, isPassingFailure, S3Failure } from "./s3-failure.ts";

type S3Request = {
  method: "GET" | "PUT" | "DELETE";
  /** Without a key, the request is about the bucket. */
  key?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  /** File that is sent as the body. The object store rejects the request if the body has another SHA-256. */
  file?: { path: string; bytes: number; sha256: string };
  maxBytes: number;
  signal?: AbortSignal | undefined;
};

export type S3Client = {
  /** Throws an `S3Failure` or an `OutboundFailure`. */
  send: (request: S3Request) => Promise<OutboundAnswer>;
  open: (request: S3Request) => Promise<StreamedAnswer | undefined>;
  isFailing: () => boolean;
};

/** Called with the result of each request: its error, or undefined. */
export type S3Outcome = (failure: Error | undefined) => void;

const TIMEOUT_MS = 5_000;
/** Minimum speed of an upload, which sets its timeout. A slower upload could not keep up with the calls. 1,000 bytes/ms = 1 MB/s. */
const UPLOAD_BYTES_PER_MS = 1_000;
const RETRY_WITHIN_MS = 8_000;
/**
 * Time within which a streamed read is repeated. It is shorter than `RETRY_WITHIN_MS`, because a person is waiting to hear the recording.
 */
const RETRY_STREAM_WITHIN_MS = 2_000;
const FIRST_PAUSE_MS = 200;
const REFUSAL_BYTES_MAX = 64 * 1_024;
const EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/**
 * Creates a client of the S3 API. It signs each request. While the object store is unreachable or busy, it repeats a request for some
 * seconds.
 */
export function createS3Client(settings: S3Settings, outcome: S3Outcome): S3Client {
  const { endpoint, bucket, region, accessKeyId, secretAccessKey } = settings;
  let isFailing = false;

  async function signed({ method, key = "", query = {}, headers = {}, file, ...bounds }: S3Request) {
    const url = new URL(`${endpoint}/${bucket}${key === "" ? "" : `/${key}`}`);
    url.search = new URLSearchParams(query).toString();
    const signer = new AwsV4Signer({
      method,
      url: url.href,
      headers: { ...headers, "x-amz-content-sha256": file?.sha256 ?? EMPTY_SHA256 },
      accessKeyId,
      secretAccessKey,
      service: "s3",
      region,
    });
    const request = await signer.sign();
    const { maxBytes, signal } = bounds;
    return {
      method,
      url: request.url,
      headers: Object.fromEntries(request.headers),
      ...(file && { file: { type: "application/octet-stream", path: file.path, bytes: file.bytes } }),
      timeoutMs: TIMEOUT_MS + Math.ceil((file?.bytes ?? 0) / UPLOAD_BYTES_PER_MS),
      maxBytes: Math.max(maxBytes, REFUSAL_BYTES_MAX),
      privateAddresses: "allow",
      ...(signal && { signal }),
    } satisfies OutboundRequest;
  }

  /** Retries after a temporary failure, for up to `withinMs` milliseconds. Tries only once if the last request failed. */
  async function tried<T>(work: () => Promise<T>, withinMs: number, signal?: AbortSignal): Promise<T> {
    const fromMs = performance.now();
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
      try {
        const result = await work();
        isFailing = false;
        outcome(undefined);
        return result;
      } catch (error) {
        if (signal?.aborted) throw error;
        const isOver = isFailing || performance.now() - fromMs + pauseMs > withinMs;
        if (isOver || !isPassingFailure(error)) {
          isFailing = true;
          outcome(error as Error);
          throw error;
        }
        await sleep(pauseMs * (0.5 + Math.random() / 2), undefined, { signal });
      }
    }
  }

  return {
    send: (request) =>
      tried(
        async () => {
          const answer = await exchange(await signed(request));
          if (answer.status < 300) return answer;
          const code = codeIn(answer.body.toString());
          if (code === "NoSuchKey" && request.method === "DELETE") return answer;
          throw new S3Failure(answer.status, code);
        },
        RETRY_WITHIN_MS,
        request.signal,
      ),

    open: (request) =>
      tried(
        async () => {
          const answer = await openAnswer(await signed(request));
          if (answer.status < 300) return answer;
          const code = codeIn(await text(answer.body));
          if (code === "NoSuchKey") return undefined;
          throw new S3Failure(answer.status, code);
        },
        RETRY_STREAM_WITHIN_MS,
        request.signal,
      ),

    isFailing: () => isFailing,
  };
}
