import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import type { RecordingProblem } from "@svc/contract";
import { WavError } from "../audio/wav-layout.ts";
import type { Log } from "../../base/log/log.ts";
import type { BlobStore } from "../../stores/blobs/blobs.ts";
import { inspectWav } from "./inspect-wav.ts";
import type { RecordingRow, RecordingStore } from "./store.ts";
import { waveformOf } from "./waveform.ts";

export type NewRecording = {
  projectId: string;
  /** The simulation's id, or another name of the conversation. */
  conversation: string;
  /** A path that `newFile` returned. */
  file: string;
  /** When the recording starts, in Unix milliseconds; undefined when it starts with its conversation. */
  startedAtMs?: number | undefined;
  /** Code of the error that the writer of the file met, such as `ENOSPC`. With such an error, the file is not stored. */
  writeError?: string | null;
  /** Why the file is not stored; undefined when no reason is known in advance. */
  problem?: RecordingProblem;
  /** Whether each channel contains both parties. By default, the caller is on the left channel and the agent on the right. */
  isMixed?: boolean;
};

/** Result of storing a recording. If it was not stored, `problem` says why; null when nothing was recorded. */
export type KeptRecording =
  | { kept: true; durationMs: number; bytes: number }
  | { kept: false; problem: RecordingProblem | null };

/** Error codes for a lack of space: of the file system, the quota, the process's file size limit, and the relational store. */
const FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG", "SQLITE_FULL"]);

const codeOf = (error: unknown): string => String((error as { code?: string }).code);

type KeepRecording = (recording: NewRecording) => Promise<KeptRecording>;

/**
 * Creates the function that stores a recording. When the file cannot be stored, it removes the file and stores the problem instead. Without
 * a file, it stores nothing. It never throws, because a conversation does not depend on its recording.
 */
export function createKeepRecording(store: RecordingStore, blobs: BlobStore, log: Log): KeepRecording {
  async function keep({
    projectId,
    conversation,
    file,
    startedAtMs,
    writeError,
    isMixed = false,
  }: NewRecording): Promise<KeptRecording> {
    if (writeError) throw Object.assign(new Error("The recording's file could not be written."), { code: writeError });
    const { bytes, sha256, durationMs, peaks } = await inspectWav(file);
    const blob = await blobs.put(file, sha256);
    const startedAt = startedAtMs === undefined ? null : new Date(startedAtMs).toISOString();
    const facts = { blob, bytes, sha256, duration_ms: durationMs, started_at: startedAt };
    const row = { ...emptyRow(projectId, conversation), ...facts };
    await replace({ ...row, waveform: JSON.stringify(waveformOf(peaks, isMixed)) }).catch(async (error: unknown) => {
      await removeUnnamed(blob);
      throw error;
    });
    return { kept: true, durationMs, bytes };
  }

  async function replace(row: RecordingRow): Promise<void> {
    const earlier = await store.put(row);
    if (earlier !== null) await removeUnnamed(earlier);
  }

  /** Removes a file that no row names. When the removal fails, a later sweep removes it. */
  async function removeUnnamed(blob: string): Promise<void> {
    await blobs
      .remove([blob])
      .catch((error: unknown) => log.warn({ err: error }, "an unused recording was not removed"));
  }

  async function refuse(
    { projectId, conversation, file }: NewRecording,
    problem: RecordingProblem,
    error?: unknown,
  ): Promise<KeptRecording> {
    const fields = { project_id: projectId, conversation };
    log.error({ ...fields, problem, ...(error !== undefined && { err: error }) }, "a recording could not be kept");
    const logAgain = (failure: unknown) =>
      log.error({ ...fields, err: failure }, "the loss of a recording could not be noted");
    await rm(file, { force: true }).catch(logAgain);
    await replace({ ...emptyRow(projectId, conversation), problem }).catch(logAgain);
    return { kept: false, problem };
  }

  return async (recording) => {
    if (recording.problem !== undefined) return refuse(recording, recording.problem);
    if (!recording.writeError && !existsSync(recording.file)) return { kept: false, problem: null };
    try {
      return await keep(recording);
    } catch (error) {
      return refuse(recording, problemOf(error), error);
    }
  };
}

const emptyRow = (projectId: string, conversation: string): RecordingRow => ({
  project_id: projectId,
  conversation,
  blob: null,
  problem: null,
  bytes: null,
  sha256: null,
  duration_ms: null,
  waveform: null,
  started_at: null,
  recorded_at: new Date().toISOString(),
});

function problemOf(error: unknown): RecordingProblem {
  if (error instanceof WavError) return "unreadable";
  return FULL.has(codeOf(error)) ? "disk_full" : "not_written";
}
