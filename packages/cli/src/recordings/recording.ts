import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { Flags } from "@oclif/core";
import type { Recording } from "@svc/contract";
import { Refusal } from "../refusal.ts";
import { clock } from "../times.ts";
import { findPlayer } from "./player.ts";

/** The ways to the recording of one conversation. */
export type RecordingSource = {
  summary: () => Promise<{ recording: Recording | null }>;
  audio: () => Promise<ReadableStream<Uint8Array>>;
};

type RecordingWishes = { play?: boolean; save?: string | undefined };

/** Returns the flags of a command that plays and saves a recording. */
export const recordingFlags = () => ({
  play: Flags.boolean({ description: "Play the recording, the caller left and the agent right." }),
  save: Flags.string({ description: "Write the recording to this new WAV file.", helpValue: "<file>" }),
});

/**
 * Saves and plays a recording as the flags say. The sound goes on while the command prints its answer, and the process ends
 * after it. Refuses a conversation without a recording, an existing file, and a machine without a player.
 */
export async function useRecording(
  { play, save }: RecordingWishes,
  source: RecordingSource,
  note: (text: string) => void,
): Promise<void> {
  if (!play && save === undefined) return;
  const player = play ? findPlayer() : undefined;
  const { durationMs } = await keptRecording(source);
  if (save !== undefined) {
    await write(await source.audio(), save);
    note(`The recording of ${clock(durationMs!)} is in ${save}.`);
  }
  if (player === undefined) return;
  const folder = save === undefined ? mkdtempSync(join(tmpdir(), "svc-recording-")) : undefined;
  const file = save ?? join(folder!, "recording.wav");
  const remove = () => folder && rmSync(folder, { recursive: true, force: true });
  // The player gets an interrupt too; this process then removes the file.
  process.once("SIGINT", () => undefined);
  try {
    if (folder !== undefined) await write(await source.audio(), file);
  } catch (error) {
    remove();
    throw error;
  }
  note(`Playing ${clock(durationMs!)} with ${player.name}. Ctrl-C ends it.`);
  void player
    .play(file)
    .catch((error: Error) => {
      note(error.message);
      process.exitCode = 1;
    })
    .finally(remove);
}

async function keptRecording({ summary }: RecordingSource): Promise<Recording> {
  const { recording } = await summary();
  if (recording === null) {
    throw new Refusal("no_recording", "This conversation has no recording. The service records calls with sound.");
  }
  if (recording.state === "not_kept") throw new Refusal("no_recording", recording.message!);
  return recording;
}

async function write(audio: ReadableStream<Uint8Array>, file: string): Promise<void> {
  const stream = createWriteStream(file, { flags: "wx" });
  try {
    await pipeline(audio, stream);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") {
      throw new Refusal("file_exists", `The file ${file} exists. Name a new file.`);
    }
    rmSync(file, { force: true });
    throw error;
  }
}
