import { type Recording, RECORDING_PROBLEMS, type Waveform } from "@svc/contract";
import type { RecordingRow } from "./store.ts";

/** Presents a recording, or the reason why it is missing. */
export const presentRecording = (row: RecordingRow): Recording => ({
  state: row.blob === null ? "not_kept" : "kept",
  problem: row.problem,
  message: row.problem && RECORDING_PROBLEMS[row.problem],
  durationMs: row.duration_ms,
  bytes: row.bytes,
  waveform: row.waveform === null ? null : (JSON.parse(row.waveform) as Waveform),
  startedAt: row.started_at,
  recordedAt: row.recorded_at,
});
