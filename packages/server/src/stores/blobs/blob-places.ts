import { rm } from "node:fs/promises";
import { unavailable } from "../../base/errors.ts";
import type { Log } from "../../base/log/log.ts";
import { type BlobBucket, isInBucket } from "./blob-bucket.ts";
import type { BlobFolder, BlobStore } from "./blobs.ts";

const RETRY_AFTER_SECONDS = 60;

const noBucket = () =>
  unavailable(
    "The recording is in an object store, and this service has no settings for it. Set SVC_S3_ENDPOINT and the settings beside it.",
    RETRY_AFTER_SECONDS,
  );
const elsewhere = () =>
  unavailable("The recording is on its way to the object store; try again later.", RETRY_AFTER_SECONDS);

/**
 * Combines a bucket and a folder into one store. New blobs go to the bucket, or to the folder while the bucket does not accept them. The
 * name of a blob shows whether the blob is in the bucket or in the folder. `stopping` aborts uploads.
 */
export function createBlobPlaces(
  folder: BlobFolder,
  bucket: BlobBucket | undefined,
  stopping: AbortSignal,
  log: Log,
): BlobStore {
  return {
    newFile: folder.newFile,
    list: folder.list,

    async put(file, sha256) {
      if (bucket === undefined || bucket.isFailing() || stopping.aborted) return folder.put(file, sha256);
      let name: string;
      try {
        name = await bucket.put(file, sha256, stopping);
      } catch (error) {
        log.warn({ err: error }, "a recording stays in the data folder until the object store takes it");
        return folder.put(file, sha256);
      }
      await rm(file, { force: true });
      return name;
    },

    async read(name, range) {
      if (!isInBucket(name)) {
        const stream = await folder.read(name, range);
        if (stream === undefined && bucket !== undefined) throw elsewhere();
        return stream;
      }
      if (bucket === undefined) throw noBucket();
      return bucket.read(name, range);
    },

    async remove(names) {
      await folder.remove(names.filter((name) => !isInBucket(name)));
      const inBucket = names.filter(isInBucket);
      if (inBucket.length > 0 && bucket === undefined) throw noBucket();
      await bucket?.remove(inBucket);
    },
  };
}
