import { createRequire, enableCompileCache } from "node:module";
import { basename, dirname, join } from "node:path";
import { cacheFolders, openPrivateFolder } from "./private-files.ts";
import { type Program, readProgram, unpack } from "./program.ts";

// The first code that the executable runs. It unpacks the program into a private folder, and starts the command line there. When
// the service starts the executable with the path of one of its threads or processes, it starts this one instead.

/** Commands that run the service. */
const SERVING = ["serve", "demo"];
/**
 * Settings of glibc's allocator. By default, it has a heap for each thread and keeps freed memory, which adds 100 MB to a busy
 * service.
 */
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
  // Code inside an executable cannot import a file, but a module on disk can.
  const require = createRequire(join(folder, "code", "start.cjs"));
  const { start } = require("./start.cjs") as { start: (file: string) => Promise<void> };
  start(entry === undefined ? join(folder, "code", "main.js") : first).catch(fail);
} catch (error) {
  fail(error);
}

/**
 * Returns the program's folder when the service starts one of the entries in this folder. The environment need not name the folder
 * then.
 */
function folderOfEntry({ id, entries }: Program): string | undefined {
  const folder = dirname(dirname(first));
  const isEntry = entries.some((name) => first === join(folder, "code", `${name}.js`));
  return isEntry && basename(folder) === id ? folder : undefined;
}

/** Replaces this process by one with the settings of the allocator, which reads its settings before any code runs. */
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
