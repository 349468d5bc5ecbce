import { createRequire, enableCompileCache } from "node:module";
import { basename, dirname, join } from "node:path";
import { openPrivateFolder } from "./private-files.ts";
import { readProgram, unpack } from "./program.ts";

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

const [, , first] = process.argv;

try {
  if (process.platform === "linux" && SERVING.includes(first ?? "") && !process.env.MALLOC_ARENA_MAX) startAgain();
  const { id, entries, files } = readProgram();
  const folder = openPrivateFolder(id, process.env);
  for (const file of files) unpack(folder, file);
  enableCompileCache(join(folder, "compiled"));
  const code = join(folder, "code");
  const isEntry = first !== undefined && dirname(first) === code && entries.includes(basename(first, ".js"));
  if (isEntry) process.argv.splice(1, 2, first);
  // The code of an executable cannot import a file; a module on disk can.
  const { start } = createRequire(join(code, "start.cjs"))("./start.cjs") as { start: (file: string) => Promise<void> };
  start(isEntry ? first : join(code, "main.js")).catch(fail);
} catch (error) {
  fail(error);
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
