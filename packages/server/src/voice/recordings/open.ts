import type { RecordingProblem } from "@svc/contract";
import type { Conditions } from "../../base/conditions.ts";
import { notFound } from "../../base/errors.ts";
import type { ServiceContext } from "../../context.ts";
import { createBlobBucket, isInBucket } from "../../stores/blobs/blob-bucket.ts";
import { createBlobPlaces } from "../../stores/blobs/blob-places.ts";
import { type BlobStore, createBlobFolder } from "../../stores/blobs/blobs.ts";
import { createS3Client, type S3Outcome } from "../../stores/blobs/s3-client.ts";
import { remedyOfS3 } from "../../stores/blobs/s3-failure.ts";
import { isPostgres } from "../../stores/dialect.ts";
import type { ConversationTexts } from "../../traces/erasure/open.ts";
import type { Traces } from "../../traces/open.ts";
import { traceIdOf } from "../../traces/rules.ts";
import { type BucketPace, startBucketWork } from "./bucket-work.ts";
import { recordingsDir } from "./folder.ts";
import { createKeepRecording, type KeptRecording, type NewRecording } from "./keep.ts";
import { recordingRoutes } from "./routes.ts";
import { createRecordingStore, type RecordingRow, type RecordingStore } from "./store.ts";

/** Problems of a recording that another attempt may solve. */
const PASSING_PROBLEMS = new Set<RecordingProblem>(["not_fetched", "disk_full", "not_written", "lost"]);

type SimulationRecording = Omit<NewRecording, "conversation" | "isMixed" | "problem"> & { simulationId: string };

type ImportedRecording = Omit<NewRecording, "conversation" | "isMixed"> & { traceId: string };

type FindSimulation = (projectId: string, id: string) => Promise<object | undefined>;

export type Recordings = Awaited<ReturnType<typeof openRecordings>>;

/**
 * Opens the store of recordings. It removes files that no database row names. With SQLite, it also marks rows as lost whose file is missing
 * from the data folder.
 */
export async function openRecordings(
  { config, db, log, conditions }: ServiceContext,
  { eraser }: Pick<Traces, "eraser">,
  pace: BucketPace = {},
) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const store = createRecordingStore(db);
  const folder = createBlobFolder(recordingsDir(config.dataDir));
  const { recordingStore } = config;
  const bucket = recordingStore && createBlobBucket(createS3Client(recordingStore, reportBucket(conditions)));
  const blobs = createBlobPlaces(folder, bucket, signal, log);
  const keep = createKeepRecording(store, blobs, log);
  await sweepFolder();
  const bucketIdle = bucket && startBucketWork({ store, folder, bucket, log, signal }, pace);

  async function sweepFolder(): Promise<void> {
    const [named, stored] = [await store.listBlobs(), new Set(await folder.list())];
    await folder.remove([...stored].filter((blob) => !named.has(blob)));
    // The rows of a shared database also name files in the folders of other processes, so a file that is missing here is not necessarily lost.
    if (isPostgres(db)) return;
    const lost = [...named].filter((blob) => !isInBucket(blob) && !stored.has(blob));
    if (lost.length > 0) log.error({ count: lost.length }, "the files of some recordings are missing");
    await store.markLost(lost);
  }

  return {
    /** Returns the path of a new file for one recording, on the same disk as the store. */
    newFile: blobs.newFile,
    /** Stores the recording of a simulation in place of an earlier attempt's recording. Call this before the simulation's end is stored. */
    keep: ({ simulationId, ...recording }: SimulationRecording): Promise<KeptRecording> =>
      keep({ ...recording, conversation: simulationId }),
    keepImported: ({ traceId, ...recording }: ImportedRecording): Promise<KeptRecording> =>
      keep({ ...recording, conversation: traceId, isMixed: true }),
    /** Returns whether another attempt may obtain the recording of an imported conversation. */
    isWanted: async (projectId: string, traceId: string): Promise<boolean> => {
      const row = await store.find(projectId, [traceId]);
      return row === undefined || (row.problem !== null && PASSING_PROBLEMS.has(row.problem));
    },
    texts: createRecordingErasure(store, blobs),
    routes: (findSimulation: FindSimulation) =>
      recordingRoutes({
        store,
        blobs,
        async namesOfSimulation(project, simulationId) {
          if ((await findSimulation(project.id, simulationId)) === undefined) throw notFound();
          return [simulationId];
        },
        async namesOfTrace(project, text) {
          const traceId = traceIdOf(text);
          const named = traceId === undefined ? null : await eraser.namesOf(project.number, traceId);
          if (named === null) throw notFound();
          return [...named.names, ...named.traceIds];
        },
      }),
    /** Cancels uploads. Their recordings stay in the data folder. */
    async close(): Promise<void> {
      stopping.abort();
      await bucketIdle?.();
    },
  };
}

const CODE = "recording_store_unavailable";

const reportBucket =
  (conditions: Conditions): S3Outcome =>
  (error) => {
    if (error === undefined) return conditions.clear(CODE);
    const message = `The object store does not take or answer recordings (${error.message}). New recordings wait in the data folder.`;
    conditions.report({ code: CODE, message, remedy: remedyOfS3(error), error });
  };

/**
 * Erases recordings. The row of a recording is deleted after its file, so that an interrupted erasure can find the file again. When a
 * recording moves to the bucket during an erasure, its row remains, and the next pass finds the object.
 */
function createRecordingErasure(store: RecordingStore, blobs: BlobStore): ConversationTexts {
  async function erase(list: () => Promise<readonly RecordingRow[]>): Promise<void> {
    for (let rows = await list(); rows.length > 0; rows = await list()) {
      await blobs.remove(rows.flatMap(({ blob }) => blob ?? []));
      await store.delete(rows);
    }
  }

  return {
    eraseConversations: (projectId, names) => erase(() => store.listNamed(projectId, names)),
    eraseBefore: (time, projectId) => erase(() => store.listBefore(time, projectId)),
  };
}
