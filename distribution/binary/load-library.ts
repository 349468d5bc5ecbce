import { join } from "node:path";
import { isMainThread } from "node:worker_threads";
import { readProgram, unpack } from "./program.ts";

const folder = join(import.meta.dirname, "..");

let isDataVerified = false;

/**
 * Unpacks and verifies a native library and the libraries in its folder, and returns the exports of the first. The main thread
 * loads its first library before the service opens a data folder. At this moment, it also verifies the files that only the service
 * reads.
 */
export function loadLibrary(path: string): unknown {
  const { libraries, data } = readProgram();
  if (isMainThread && !isDataVerified) for (const file of data) unpack(folder, file);
  isDataVerified = true;
  const parent = path.slice(0, path.lastIndexOf("/") + 1);
  for (const file of libraries) if (file.path.startsWith(parent)) unpack(folder, file);
  const library = { exports: {} };
  try {
    process.dlopen(library, join(folder, path));
  } catch (error) {
    const cause = (error as Error).message;
    throw new Error(
      `A library of svc cannot be loaded (${cause}). Set SVC_CACHE_DIR to a folder that may hold programs.`,
      {
        cause: error,
      },
    );
  }
  return library.exports;
}
