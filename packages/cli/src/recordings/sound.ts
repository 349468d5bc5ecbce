import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { Refusal } from "../refusal.ts";
import { findPlayer } from "./player.ts";

/** The uses of a sound: `play` it, or `save` it to a file, or both. */
export type SoundWishes = { play?: boolean; save?: string | undefined };

/** A sound with its name in a sentence, such as `the recording of 1:20`. */
type Sound = { name: string; open: () => Promise<ReadableStream<Uint8Array>> };

/**
 * Saves and plays a sound as the flags say. The sound goes on while the command prints its answer, and the process ends after it.
 * Refuses an existing file, and before any request a machine without a player.
 */
export async function useSound(
  { play, save }: SoundWishes,
  find: () => Promise<Sound>,
  note: (text: string) => void,
): Promise<void> {
  if (!play && save === undefined) return;
  const player = play ? findPlayer() : undefined;
  const sound = await find();
  if (save !== undefined) {
    await write(await sound.open(), save);
    note(`${sound.name[0]!.toUpperCase()}${sound.name.slice(1)} is in ${save}.`);
  }
  if (player === undefined) return;
  const folder = save === undefined ? mkdtempSync(join(tmpdir(), "svc-recording-")) : undefined;
  const file = save ?? join(folder!, "recording.wav");
  const remove = () => folder && rmSync(folder, { recursive: true, force: true });
  // The player gets an interrupt too; this process then removes the file.
  process.once("SIGINT", () => undefined);
  try {
    if (folder !== undefined) await write(await sound.open(), file);
  } catch (error) {
    remove();
    throw error;
  }
  note(`Playing ${sound.name} with ${player.name}. Ctrl-C ends it.`);
  void player
    .play(file)
    .catch((error: Error) => {
      note(error.message);
      process.exitCode = 1;
    })
    .finally(remove);
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
