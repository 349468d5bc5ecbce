import type { RecordingProblem } from "@svc/contract";
import { notFound } from "../errors.ts";
import type { Ground } from "../ground.ts";
import { createBlobFolder } from "../stores/blobs.ts";
import { isPostgres } from "../stores/dialect.ts";
import type { Traces } from "../traces/open.ts";
import { traceIdOf } from "../traces/rules.ts";
import { createRecordingErasure } from "./erase.ts";
import { recordingsDir } from "./folder.ts";
import { createKeepRecording, type KeptRecording, type NewRecording } from "./keep.ts";
import { recordingRoutes } from "./routes.ts";
import { createRecordingStore } from "./store.ts";

/** Problems that another try may not meet. */
const PASSING_PROBLEMS = new Set<RecordingProblem>(["not_fetched", "disk_full", "not_written", "lost"]);

/** A finished recording of a simulation. */
export type SimulationRecording = Omit<NewRecording, "conversation" | "isMixed" | "problem"> & { simulationId: string };

/** A recording of an imported conversation. */
export type ImportedRecording = Omit<NewRecording, "conversation" | "isMixed"> & { traceId: string };

/** Returns a simulation of the project, or undefined. */
type FindSimulation = (projectId: string, id: string) => Promise<object | undefined>;

export type Recordings = Awaited<ReturnType<typeof openRecordings>>;

/** Opens the recordings of conversations; removes files without a row, and notes rows without a file in a data folder. */
export async function openRecordings({ config, db, log }: Ground, { eraser }: Pick<Traces, "eraser">) {
  const store = createRecordingStore(db);
  const blobs = createBlobFolder(recordingsDir(config.dataDir));
  const keep = createKeepRecording(store, blobs, log);
  await sweep();

  async function sweep(): Promise<void> {
    const [named, stored] = [await store.listBlobs(), new Set(await blobs.list())];
    await blobs.remove([...stored].filter((blob) => !named.has(blob)));
    // A shared database also names the files of other processes.
    if (isPostgres(db)) return;
    const lost = [...named].filter((blob) => !stored.has(blob));
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
  };
}
