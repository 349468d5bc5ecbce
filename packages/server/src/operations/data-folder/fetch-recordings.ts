import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import type { S3Settings } from "../../base/config/config.ts";
import { recordingsDir, recordingsIn } from "../../voice/recordings/folder.ts";
import { createRecordingStore, type RecordedBlob, recordedBlobs } from "../../voice/recordings/store.ts";
import { type BlobBucket, createBlobBucket, isInBucket } from "../../stores/blobs/blob-bucket.ts";
import { type BlobFolder, createBlobFolder } from "../../stores/blobs/blobs.ts";
import { processFolderIn } from "../../stores/folder/process-folder.ts";
import type { Db, Embedded } from "../../stores/relational.ts";
import { createS3Client } from "../../stores/blobs/s3-client.ts";
import { copyRecordingFiles } from "./move-recordings.ts";
import { FolderRefusal, type Progress } from "./refusal.ts";

export type RecordingOptions = {
  /**
   * Whether to copy recordings from the object store into the folder (`copy`), or to leave them there (`keep`). Undefined is only allowed
   * when the object store has no recordings.
   */
  inBucket: "copy" | "keep" | undefined;
  /** `SVC_DATA_DIR` of each process on the databases whose folder contains recordings that are not yet in the object store. */
  waitingIn: readonly string[];
  objectStore: S3Settings | undefined;
};

export type FetchedRecordings = { copied: number; kept: number; lost: number };

const PROBE_MS = 30_000;

export async function requireRecordings(db: Db, options: RecordingOptions): Promise<void> {
  const blobs = await createRecordingStore(db).listBlobs();
  const inBucket = [...blobs].filter(isInBucket).length;
  const waiting = blobs.size - inBucket;
  if (inBucket > 0 && options.inBucket === undefined) {
    const choice = "Add `--recordings copy` to copy them into the folder, or `--recordings keep` to leave them there.";
    throw new FolderRefusal("no_place_for_recordings", `An object store holds ${inBucket} recordings. ${choice}`);
  }
  if (inBucket > 0) await requireBucket(options.objectStore, inBucket);
  if (waiting > 0 && options.waitingIn.length === 0) {
    throw new FolderRefusal(
      "recordings_elsewhere",
      `${waiting} recordings wait for the object store in folders of processes. Name each SVC_DATA_DIR of a process with --recordings-from.`,
    );
  }
}

async function requireBucket(settings: S3Settings | undefined, recordings: number): Promise<void> {
  if (settings === undefined) {
    throw new FolderRefusal(
      "object_store_unreachable",
      `An object store holds ${recordings} recordings. Set SVC_S3_ENDPOINT and the settings beside it.`,
    );
  }
  await bucketOf(settings)
    .probe(AbortSignal.timeout(PROBE_MS))
    .catch((error: Error) => {
      const message = `The object store of the recordings cannot be used: ${error.message}. Check SVC_S3_ENDPOINT and the settings beside it.`;
      throw new FolderRefusal("object_store_unreachable", message);
    });
}

const bucketOf = (settings: S3Settings): BlobBucket => createBlobBucket(createS3Client(settings, () => undefined));

/**
 * Copies the recordings that the folder's rows name into the folder, and updates the rows. Marks a recording as lost when it is missing
 * or its content has changed.
 */
export async function fetchRecordings(
  dataDir: string,
  { db, embedded }: { db: Db; embedded: Embedded },
  { inBucket, waitingIn, objectStore }: RecordingOptions,
  progress: Progress,
): Promise<FetchedRecordings> {
  const store = createRecordingStore(db);
  const recorded = recordedBlobs(embedded.engine);
  const objects = recorded.filter(({ blob }) => isInBucket(blob));
  const waiting = recorded.filter(({ blob }) => !isInBucket(blob));
  for (const folder of waitingIn.map(processFolderIn)) {
    const held = recordingsIn(folder);
    const names = waiting.filter(({ blob, bytes }) => held.get(blob) === bytes).map(({ blob }) => blob);
    copyRecordingFiles(names, folder, dataDir, progress);
  }
  const there = recordingsIn(dataDir);
  const lost = waiting.filter(({ blob }) => !there.has(blob));
  if (inBucket === "copy" && objects.length > 0) {
    const [bucket, folder] = [bucketOf(objectStore!), createBlobFolder(recordingsDir(dataDir))];
    for (const [at, object] of objects.entries()) {
      progress(`Copying the recordings: object ${at + 1} of ${objects.length}`);
      const name = await download(object, bucket, folder);
      if (name === undefined) lost.push(object);
      else await store.renameBlob(object.blob, name);
    }
  }
  await store.markLost(lost.map(({ blob }) => blob));
  const kept = inBucket === "copy" ? 0 : objects.length;
  return { copied: recorded.length - kept - lost.length, kept, lost: lost.length };
}

/** Returns undefined when the bucket does not have the object, or has it with different bytes. */
async function download(
  { blob, sha256 }: RecordedBlob,
  bucket: BlobBucket,
  folder: BlobFolder,
): Promise<string | undefined> {
  const content = await bucket.read(blob);
  if (content === undefined) return undefined;
  const file = folder.newFile();
  const hash = createHash("sha256");
  content.on("data", (chunk: Buffer) => hash.update(chunk));
  await pipeline(content, createWriteStream(file, { mode: 0o600 }));
  return hash.digest("hex") === sha256 ? folder.put(file, sha256) : undefined;
}
