import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import { unavailable } from "../../base/errors.ts";
import { OutboundFailure } from "../../base/net/outbound.ts";
import type { ByteRange } from "./blobs.ts";
import type { S3Client } from "./s3-client.ts";
import { S3Failure } from "./s3-failure.ts";

/** Blobs in a bucket of an object store. Their names begin with `BUCKET_PREFIX`. */
export type BlobBucket = {
  /** Returns the blob's name once the object store has it. */
  put: (file: string, sha256: string, signal: AbortSignal) => Promise<string>;
  read: (name: string, range?: ByteRange) => Promise<Readable | undefined>;
  /** Removes blobs. A missing blob is not an error. */
  remove: (names: readonly string[]) => Promise<void>;
  /** Yields pages with the names of all blobs that are older than `ageMs`, by the clock of the object store. */
  listOlderThan: (ageMs: number, signal: AbortSignal) => AsyncGenerator<string[]>;
  /** Sends the smallest request, to check that the object store answers. */
  probe: (signal: AbortSignal) => Promise<void>;
  isFailing: () => boolean;
};

const BUCKET_PREFIX = "recordings/";
/** A prefix that no blob's name has, so that listing it returns nothing. */
const NO_BLOB = `${BUCKET_PREFIX}none`;
const ANSWER_BYTES_MAX = 64 * 1_024;
const LISTING_BYTES_MAX = 4 * 1_024 * 1_024;
const PAGE_OBJECTS = 1_000;
const RETRY_AFTER_SECONDS = 10;

export const isInBucket = (name: string): boolean => name.startsWith(BUCKET_PREFIX);

/** Creates the store of blobs in a bucket. While the object store does not answer, reads and removals fail with `unavailable`. */
export function createBlobBucket(client: S3Client): BlobBucket {
  const list = (query: Record<string, string>, signal: AbortSignal) =>
    client.send({
      method: "GET",
      query: { "list-type": "2", prefix: BUCKET_PREFIX, ...query },
      maxBytes: LISTING_BYTES_MAX,
      signal,
    });

  return {
    isFailing: client.isFailing,

    async put(path, sha256, signal) {
      const key = BUCKET_PREFIX + randomUUID();
      const { size: bytes } = await stat(path);
      await client.send({ method: "PUT", key, file: { path, bytes, sha256 }, maxBytes: ANSWER_BYTES_MAX, signal });
      return key;
    },

    async read(key, range) {
      const headers = range && { range: `bytes=${range.start}-${range.end}` };
      const request = { method: "GET", key, ...(headers && { headers }), maxBytes: bytesOf(range) } as const;
      const answer = await client.open(request).catch(refuse);
      if (range === undefined || answer === undefined || answer.status === 206) return answer?.body;
      answer.body.destroy();
      throw new Error("The object store answered a range with the whole object.");
    },

    async remove(keys) {
      for (const key of keys) await client.send({ method: "DELETE", key, maxBytes: ANSWER_BYTES_MAX }).catch(refuse);
    },

    async *listOlderThan(ageMs, signal) {
      let continuation: string | undefined;
      do {
        const page = continuation === undefined ? {} : { "continuation-token": continuation };
        const { headers, body } = await list({ "max-keys": String(PAGE_OBJECTS), ...page }, signal);
        const listing = readListing(body.toString());
        const beforeMs = Date.parse(headers.date ?? "") - ageMs;
        yield listing.objects.filter(({ modifiedAtMs }) => modifiedAtMs < beforeMs).map(({ key }) => key);
        continuation = listing.continuation;
      } while (continuation !== undefined);
    },

    async probe(signal) {
      await list({ "max-keys": "1", prefix: NO_BLOB }, signal);
    },
  };
}

const bytesOf = (range: ByteRange | undefined): number =>
  range === undefined ? Number.MAX_SAFE_INTEGER : range.end - range.start + 1;

function refuse(error: unknown): never {
  if (!(error instanceof S3Failure) && !(error instanceof OutboundFailure)) throw error;
  throw unavailable("The object store of the recordings does not answer; try again later.", RETRY_AFTER_SECONDS);
}

type S3Listing = {
  objects: { key: string; modifiedAtMs: number }[];
  continuation: string | undefined;
};

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Parses an answer of ListObjectsV2. */
function readListing(xml: string): S3Listing {
  const objects = [...xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)].flatMap(([, object]) => {
    const [key, modified] = [textOf(object!, "Key"), textOf(object!, "LastModified")];
    const modifiedAtMs = Date.parse(modified ?? "");
    return key === undefined || Number.isNaN(modifiedAtMs) ? [] : [{ key, modifiedAtMs }];
  });
  const isTruncated = textOf(xml, "IsTruncated") === "true";
  return { objects, continuation: isTruncated ? textOf(xml, "NextContinuationToken") : undefined };
}

const textOf = (xml: string, name: string): string | undefined =>
  new RegExp(`<${name}>([^<]*)</${name}>`)
    .exec(xml)?.[1]
    ?.replaceAll(/&(amp|lt|gt|quot|apos);/g, (_, entity: string) => ENTITIES[entity]!);
