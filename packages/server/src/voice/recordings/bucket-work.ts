import { every } from "../../base/async/every.ts";
import type { Log } from "../../base/log/log.ts";
import { OutboundFailure } from "../../base/net/outbound.ts";
import type { BlobBucket } from "../../stores/blobs/blob-bucket.ts";
import type { BlobFolder } from "../../stores/blobs/blobs.ts";
import { S3Failure } from "../../stores/blobs/s3-failure.ts";
import type { RecordingStore } from "./store.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
/**
 * Age from which an object in the bucket that no database row names is removed. A younger object stays, because another process may be
 * about to store its row.
 */
const SWEPT_AGE_MS = DAY_MS;
const MOVE_EVERY_MS = 60_000;
const NAMES_AT_ONCE = 400;

type Parts = { store: RecordingStore; folder: BlobFolder; bucket: BlobBucket; log: Log; signal: AbortSignal };

/** Only specs change the pace. */
export type BucketPace = { moveEveryMs?: number; sweptAgeMs?: number };

/**
 * Every minute, moves recordings from the folder to the bucket. Every day, removes old objects that no database row names. Returns a
 * function that waits for the current pass.
 */
export function startBucketWork({ store, folder, bucket, log, signal }: Parts, pace: BucketPace): () => Promise<void> {
  const { moveEveryMs = MOVE_EVERY_MS, sweptAgeMs = SWEPT_AGE_MS } = pace;
  let isFirst = true;

  async function move(): Promise<void> {
    if (isFirst || bucket.isFailing()) await bucket.probe(signal);
    isFirst = false;
    const names = await folder.list();
    for (let from = 0; from < names.length; from += NAMES_AT_ONCE) {
      for (const { blob, sha256 } of await store.listWithBlobs(names.slice(from, from + NAMES_AT_ONCE))) {
        signal.throwIfAborted();
        await moveOne(blob!, sha256!);
      }
    }
  }

  /**
   * Moves one recording to the bucket. Its row changes only after the bucket has the bytes, and the file is removed only after the row
   * names the object.
   */
  async function moveOne(file: string, sha256: string): Promise<void> {
    let object: string;
    try {
      object = await bucket.put(folder.pathOf(file), sha256, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
      throw error;
    }
    if (await store.renameBlob(file, object)) await folder.remove([file]);
    else await bucket.remove([object]);
  }

  async function sweep(): Promise<void> {
    let removed = 0;
    for await (const names of bucket.listOlderThan(sweptAgeMs, signal)) {
      const named = new Set<string>();
      for (let from = 0; from < names.length; from += NAMES_AT_ONCE) {
        const rows = await store.listWithBlobs(names.slice(from, from + NAMES_AT_ONCE));
        for (const { blob } of rows) named.add(blob!);
      }
      const unnamed = names.filter((name) => !named.has(name));
      await bucket.remove(unnamed);
      removed += unnamed.length;
    }
    if (removed > 0) log.info({ count: removed }, "objects without a recording were removed from the bucket");
  }

  /** Logs a failure, except a failure of the object store, which a condition already reports. */
  function failed(error: unknown): void {
    if (signal.aborted || error instanceof S3Failure || error instanceof OutboundFailure) return;
    log.error({ err: error }, "the work on the bucket of the recordings failed; the service tries again");
  }

  const passes = [every(moveEveryMs, move, signal, failed), every(DAY_MS, sweep, signal, failed)];
  return async () => void (await Promise.all(passes.map(({ idle }) => idle())));
}
