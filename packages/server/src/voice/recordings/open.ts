import type { RecordingProblem } from "@svc/contract";
import { notFound } from "../../base/errors.ts";
import type { Ground } from "../../ground.ts";
import { createBlobBucket, isInBucket } from "../../stores/blobs/blob-bucket.ts";
import { createBlobPlaces } from "../../stores/blobs/blob-places.ts";
import { createBlobFolder } from "../../stores/blobs/blobs.ts";
import { isPostgres } from "../../stores/dialect.ts";
import { createS3Client } from "../../stores/blobs/s3-client.ts";
import type { Traces } from "../../traces/open.ts";
import { traceIdOf } from "../../traces/rules.ts";
import { reportBucket } from "./bucket-condition.ts";
import { type BucketPace, startBucketWork } from "./bucket-work.ts";
import { createRecordingErasure } from "./erase.ts";
import { recordingsDir } from "./folder.ts";
import { createKeepRecording, type KeptRecording, type NewRecording } from "./keep.ts";
import { recordingRoutes } from "./routes.ts";
import { createRecordingStore } from "./store.ts";

/** Problems that another try may not meet. */
const PASSING_PROBLEMS = new Set<RecordingProblem>(["not_fetched", "disk_full", "not_written", "lost"]);

/** A finished recording of a simulation. */
type SimulationRecording = Omit<NewRecording, "conversation" | "isMixed" | "problem"> & { simulationId: string };

/** A recording of an imported conversation. */
type ImportedRecording = Omit<NewRecording, "conversation" | "isMixed"> & { traceId: string };

/** Returns a simulation of the project, or undefined. */
type FindSimulation = (projectId: string, id: string) => Promise<object | undefined>;

export type Recordings = Awaited<ReturnType<typeof openRecordings>>;

/**
 * Opens the recordings of conversations, in the data folder or in a bucket; removes files without a row, and notes rows without
 * a file in a data folder.
 */
export async function openRecordings(
  { config, db, log, conditions }: Ground,
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
    // A shared database also names the files of other processes.
    if (isPostgres(db)) return;
    const lost = [...named].filter((blob) => !isInBucket(blob) && !stored.has(blob));
    if (lost.length > 0) log.error({ count: lost.length }, "the files of some recordings are missing");
    await store.markLost(lost);
  }

  return {
    /** Returns the path of a new file for one recording, on the disk of the store. */
    newFile: blobs.newFile,
    /** Keeps the recording of a simulation in place of an earlier attempt's. Call it before the simulation's end is stored. */
    keep: ({ simulationId, ...recording }: SimulationRecording): Promise<KeptRecording> =>
      keep({ ...recording, conversation: simulationId }),
    /** Keeps a recording that another service made of an imported conversation, by the id of the conversation's trace. */
    keepImported: ({ traceId, ...recording }: ImportedRecording): Promise<KeptRecording> =>
      keep({ ...recording, conversation: traceId, isMixed: true }),
    /** Returns whether another try can bring the recording of an imported conversation. */
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
    /** Ends uploads; their recordings stay in the data folder. */
    async close(): Promise<void> {
      stopping.abort();
      await bucketIdle?.();
    },
  };
}
