import { createRequire, enableCompileCache } from "node:module";
import { basename, dirname, join } from "node:path";
import { cacheFolders, openPrivateFolder } from "./private-files.ts";
import { type Program, readProgram, unpack } from "./program.ts";

// The code inside the executable itself. It unpacks the program into a private folder and starts its command line there, or
// one of the service's entries when the service starts this executable with the path of an entry.

/** Commands that run the service. */
const SERVING = ["serve", "demo"];
/** By default glibc has a heap for each thread and keeps freed memory, which adds 100 MB to a service under load. */
const GIVE_MEMORY_BACK = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: String(1024 * 1024),
  MALLOC_TRIM_THRESHOLD_: String(1024 * 1024),
};

const [, , first = ""] = process.argv;

try {
  if (process.platform === "linux" && SERVING.includes(first) && !process.env.MALLOC_ARENA_MAX) startAgain();
  const program = readProgram();
  const entry = folderOfEntry(program);
  const folder = openPrivateFolder(entry === undefined ? cacheFolders(process.env, program.id) : [entry]);
  for (const file of program.code) unpack(folder, file);
  enableCompileCache(join(folder, "compiled"));
  if (entry !== undefined) process.argv.splice(1, 1);
  // The code of an executable cannot import a file; a module on disk can.
  const require = createRequire(join(folder, "code", "start.cjs"));
  const { start } = require("./start.cjs") as { start: (file: string) => Promise<void> };
  start(entry === undefined ? join(folder, "code", "main.js") : first).catch(fail);
} catch (error) {
  fail(error);
}

/** Returns the program's folder when the service starts one of the entries in it; the environment need not name the folder. */
function folderOfEntry({ id, entries }: Program): string | undefined {
  const folder = dirname(dirname(first));
  const isEntry = entries.some((name) => first === join(folder, "code", `${name}.js`));
  return isEntry && basename(folder) === id ? folder : undefined;
}

/** Replaces this process by one with the settings of the allocator, which reads them before any code runs. */
function startAgain(): void {
  process.execve!(process.execPath, process.argv.with(0, process.execPath).toSpliced(1, 1), {
    ...GIVE_MEMORY_BACK,
    ...process.env,
  } as NodeJS.ProcessEnv);
}

function fail(error: unknown): void {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
