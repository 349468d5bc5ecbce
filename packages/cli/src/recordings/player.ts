import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { Refusal } from "../refusal.ts";

/** A program of the system that plays a sound file, with the arguments before the file. */
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

/** Returns the function that plays a WAV file; refuses when the system has no player. */
export function findPlayer(): { name: string; play: (file: string) => Promise<void> } {
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

/** Passes the file's name in the environment, where no character of it is part of the command. */
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

/** Resolves when the program has ended; rejects with its error output when it failed. */
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
