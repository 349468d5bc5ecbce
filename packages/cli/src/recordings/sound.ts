import { spawn } from "node:child_process";
import { accessSync, constants, createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { Refusal } from "../refusal.ts";

export type SoundWishes = { play?: boolean; save?: string | undefined };

/** Sound with its name as part of a sentence, such as `the recording of 1:20`. */
type Sound = { name: string; open: () => Promise<ReadableStream<Uint8Array>> };

/**
 * The sound plays while the command prints its answer, and the process ends after the sound. Throws when the file exists already.
 * Throws before any request when this machine has no player.
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
    await saveNew(await sound.open(), save);
    note(`${sound.name[0]!.toUpperCase()}${sound.name.slice(1)} is in ${save}.`);
  }
  if (player === undefined) return;
  const folder = save === undefined ? mkdtempSync(join(tmpdir(), "svc-recording-")) : undefined;
  const file = save ?? join(folder!, "recording.wav");
  const remove = () => folder && rmSync(folder, { recursive: true, force: true });
  // An interrupt also ends the player. This process must not end with the player, because this process removes the file afterwards.
  process.once("SIGINT", () => undefined);
  try {
    if (folder !== undefined) await saveNew(await sound.open(), file);
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

export async function saveNew(bytes: ReadableStream<Uint8Array>, file: string): Promise<void> {
  const stream = createWriteStream(file, { flags: "wx", mode: 0o600 });
  try {
    await pipeline(bytes, stream);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") {
      throw new Refusal("file_exists", `The file ${file} exists. Name a new file.`);
    }
    rmSync(file, { force: true });
    throw error;
  }
}

type Player = { program: string; args: string[] };

const PLAYERS: Player[] = [
  { program: "afplay", args: [] },
  { program: "pw-play", args: [] },
  { program: "paplay", args: [] },
  { program: "ffplay", args: ["-nodisp", "-autoexit", "-loglevel", "error"] },
  { program: "mpv", args: ["--no-video", "--really-quiet"] },
  { program: "aplay", args: ["-q"] },
  { program: "play", args: ["-q"] },
];

const INSTALL: Partial<Record<NodeJS.Platform, string>> = {
  darwin: "Install ffmpeg (`brew install ffmpeg`)",
  linux: "Install ffmpeg (`sudo apt install ffmpeg`)",
};

function findPlayer(): { name: string; play: (file: string) => Promise<void> } {
  if (process.platform === "win32") return { name: "PowerShell", play: (file) => run(...onWindows(file)) };
  const player = PLAYERS.find(({ program }) => isInstalled(program));
  if (player !== undefined) {
    return { name: player.program, play: (file) => run(player.program, [...player.args, file], {}) };
  }
  const install = INSTALL[process.platform] ?? "Install ffmpeg";
  const names = PLAYERS.map(({ program }) => program).join(", ");
  throw new Refusal(
    "no_player",
    `This machine has no program that plays sound (${names}). ${install}, or write the recording to a file with --save.`,
  );
}

/** The file name is in the environment, so it cannot change the command. */
function onWindows(file: string): Parameters<typeof run> {
  const command = "(New-Object Media.SoundPlayer $env:SVC_SOUND).PlaySync()";
  return ["powershell.exe", ["-NoProfile", "-Command", command], { SVC_SOUND: file }];
}

function isInstalled(program: string): boolean {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return folder !== "";
    } catch {
      return false;
    }
  });
}

/** Rejects with the error output of the program when it failed. */
function run(program: string, args: string[], env: Record<string, string>): Promise<void> {
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, ...env } });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      if (code === 0 || signal !== null) resolve();
      else reject(new Refusal("player_failed", `${program} could not play the recording. ${errors.trim()}`.trim()));
    });
  });
}
