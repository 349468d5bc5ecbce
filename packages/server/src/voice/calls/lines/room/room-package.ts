import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type * as RoomPackage from "@livekit/rtc-node";
import { CallFailure } from "../../call.ts";

const NAME = "@livekit/rtc-node";
const VERSION = "0.13.34";

export const missingRoomPackage = (folders: readonly string[]): string | undefined =>
  findRoomPackage(folders) === undefined ? installation(folders) : undefined;

/** Loads the package that connects to rooms. Throws a `CallFailure` with the installation command when the package is missing. */
export function loadRoomPackage(folders: readonly string[]): typeof RoomPackage {
  const file = findRoomPackage(folders);
  if (file === undefined) throw new CallFailure("simulator_error", installation(folders));
  return createRequire(file)(file) as typeof RoomPackage;
}

const installation = (folders: readonly string[]): string =>
  `Calls in rooms need a package that the service does not bring. Install it on the machine of the service: npm install --prefix "${folders.at(-1)}" ${NAME}@${VERSION}`;

function findRoomPackage(folders: readonly string[]): string | undefined {
  return folders.map(fileIn).find((file) => file !== undefined && versionOf(file) === VERSION);
}

function fileIn(folder: string): string | undefined {
  try {
    return createRequire(join(folder, "index.js")).resolve(NAME);
  } catch {
    return undefined;
  }
}

function versionOf(file: string): string | undefined {
  try {
    const { version } = JSON.parse(readFileSync(join(dirname(file), "..", "package.json"), "utf8")) as {
      version: string;
    };
    return version;
  } catch {
    return undefined;
  }
}
