import { readFileSync } from "node:fs";
import { getCompileCacheDir } from "node:module";
import { basename, dirname, extname, join } from "node:path";

// Every file that the service reads or starts beside its code is named here or in package-files.ts, so that a bundle finds it
// too. A bundler puts this module into a file of another name, with the entries beside it under the names of the table.

/** The programs of threads and processes that the service starts, each with its module in this folder. */
export const ENTRIES = {
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

/** The folder of the code, beside which other packages may be installed. */
export const CODE_FOLDER = import.meta.dirname;

/** The folder of the relational store's migrations. */
export const MIGRATIONS = join(packageFolder, "migrations");

/** Returns the version of the service. */
export function readVersion(): string {
  const { version } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")) as { version: string };
  return version;
}

/** Returns how to start an entry as a thread or as a process: from the sources, from their build or from a bundle. */
export function startOf(name: keyof typeof ENTRIES): { file: string; execArgv: string[]; env: Record<string, string> } {
  const compileCache = getCompileCacheDir();
  return {
    file: join(import.meta.dirname, `${isBundled ? name : ENTRIES[name]}${EXTENSION}`),
    execArgv: EXTENSION === ".ts" ? ["--conditions=svc-source"] : [],
    // Each thread opens the cache of compiled code itself, in a subfolder of the folder that the variable names.
    env: compileCache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compileCache) },
  };
}
