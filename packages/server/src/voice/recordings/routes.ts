import { type Recording, RECORDING_PROBLEMS, type Waveform } from "@svc/contract";
import type { Project } from "../../access/caller.ts";
import { notFound } from "../../base/errors.ts";
import type { BinaryAnswer } from "../../http/binary-answer.ts";
import type { Routes } from "../../http/operation.ts";
import type { BlobStore } from "../../stores/blobs/blobs.ts";
import type { RecordingRow, RecordingStore } from "./store.ts";

/**
 * Returns the names under which a conversation's recording is stored. Throws `not_found` when the project does not have the conversation.
 */
type FindNames = (project: Project, id: string) => Promise<readonly string[]>;

type Needs = { store: RecordingStore; blobs: BlobStore; namesOfSimulation: FindNames; namesOfTrace: FindNames };

export function recordingRoutes({ store, blobs, namesOfSimulation, namesOfTrace }: Needs): Routes<"recordings"> {
  const ofSimulation = async (project: Project, { simulationId }: { simulationId: string }) =>
    store.find(project.id, await namesOfSimulation(project, simulationId));
  const ofTrace = async (project: Project, { traceId }: { traceId: string }) =>
    store.find(project.id, await namesOfTrace(project, traceId));

  function audioOf(row: RecordingRow | undefined): BinaryAnswer {
    if (row === undefined || row.blob === null) throw notFound();
    const { conversation, blob, bytes, sha256 } = row;
    return {
      contentType: "audio/wav",
      fileName: `${conversation}.wav`,
      bytes: bytes!,
      tag: sha256!,
      async open(range) {
        const stream = await blobs.read(blob, range);
        if (stream === undefined) throw notFound();
        return stream;
      },
    };
  }
  const summaryOf = (row: RecordingRow | undefined) => ({ recording: row ? presentRecording(row) : null });

  return {
    recordings: {
      audioOfSimulation: async ({ project, params }) => audioOf(await ofSimulation(project, params)),
      ofSimulation: async ({ project, params }) => summaryOf(await ofSimulation(project, params)),
      audioOfConversation: async ({ project, params }) => audioOf(await ofTrace(project, params)),
      ofConversation: async ({ project, params }) => summaryOf(await ofTrace(project, params)),
    },
  };
}

const presentRecording = (row: RecordingRow): Recording => ({
  state: row.blob === null ? "not_kept" : "kept",
  problem: row.problem,
  message: row.problem && RECORDING_PROBLEMS[row.problem],
  durationMs: row.duration_ms,
  bytes: row.bytes,
  waveform: row.waveform === null ? null : (JSON.parse(row.waveform) as Waveform),
  startedAt: row.started_at,
  recordedAt: row.recorded_at,
});
