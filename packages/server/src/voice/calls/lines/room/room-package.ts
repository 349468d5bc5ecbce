import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type * as RoomPackage from "@livekit/rtc-node";
import { CallFailure } from "../../call.ts";

const NAME = "@livekit/rtc-node";
const VERSION = "0.13.34";

/** Returns a sentence that describes how to install the package for rooms; undefined when the package is installed. */
export const missingRoomPackage = (folders: readonly string[]): string | undefined =>
  findRoomPackage(folders) === undefined ? installation(folders) : undefined;

/** Loads the package for rooms. Throws a `CallFailure` with the installation command when the package is missing. */
export function loadRoomPackage(folders: readonly string[]): typeof RoomPackage {
  const file = findRoomPackage(folders);
  if (file === undefined) throw new CallFailure("simulator_error", installation(folders));
  return createRequire(file)(file) as typeof RoomPackage;
}

const installation = (folders: readonly string[]): string =>
  `Calls in rooms need a package that the service does not bring. Install it on the machine of the service: npm install --prefix "${folders.at(-1)}" ${NAME}@${VERSION}`;

/** Returns the path of the package in the first folder that contains the exact version. */
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

/** Returns the version of a package from the path of a file in its `dist` folder; undefined when it cannot be read. */
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
