import { readFileSync } from "node:fs";
import { getCompileCacheDir } from "node:module";
import { basename, dirname, extname, join } from "node:path";

// This module and package-files.ts name every file that the service reads or starts beside its code, so that a bundle contains all of
// them. A bundler puts this module into a file with another name. The entries are then beside that file, under their names in `ENTRIES`.

/** Programs of threads and processes that the service starts, each with the path of its module. */
export const ENTRIES = {
  "password-thread": "access/password-thread",
  "loader-thread": "traces/store/folder/thread",
  "parquet-thread": "traces/store/duckdb/parquet-thread",
  "reading-thread": "traces/store/clickhouse/reading-thread",
  "presenter-thread": "traces/store/presenter/thread",
  "journal-reader-thread": "traces/store/folder/reader-thread",
  "flite-thread": "voice/speech/flite/thread",
  "media-process": "voice/calls/media/process",
} as const;

const EXTENSION = extname(import.meta.filename);
const isBundled = basename(import.meta.filename, EXTENSION) !== "assets";
const packageFolder = join(import.meta.dirname, "..");

/** Folder of the code. Other packages may be installed beside it. */
export const CODE_FOLDER = import.meta.dirname;

export const MIGRATIONS = join(packageFolder, "migrations");

export function readVersion(): string {
  const { version } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")) as { version: string };
  return version;
}

export function startOf(name: keyof typeof ENTRIES): { file: string; execArgv: string[]; env: Record<string, string> } {
  const compileCache = getCompileCacheDir();
  return {
    file: join(import.meta.dirname, `${isBundled ? name : ENTRIES[name]}${EXTENSION}`),
    execArgv: EXTENSION === ".ts" ? ["--conditions=svc-source"] : [],
    // Each thread opens the compile cache itself. Node uses a subfolder of the folder that the variable names.
    env: compileCache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compileCache) },
  };
}
