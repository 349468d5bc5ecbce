import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { existsSync, globSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = import.meta.dirname;
const dist = join(root, "dist");
const SOURCES = [
  "index.html",
  "package.json",
  "vite.config.ts",
  "src/**/*",
  "guide/**/*",
  "../sdk/src/**/*",
  "../contract/src/**/*",
  "../../docs/**/*",
];
/** The file in the built folder that names the sources it was built from. */
const STAMP = ".sources";
/** Another process may build at the same time, and needs less time than this. */
const LONGEST_BUILD_MS = 10 * 60_000;

/** Returns the folder of the pages. Builds them first when they were never built from the present sources. */
export async function webFolder(): Promise<string> {
  const wanted = digestOfSources();
  const stamp = join(dist, STAMP);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return dist;
  removeInterruptedBuilds();
  const made = join(root, `dist-${randomUUID()}`);
  try {
    await build(made);
    writeFileSync(join(made, STAMP), wanted);
    replaceFolder(made);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  return dist;
}

/** Removes the folders of builds that a signal ended. */
function removeInterruptedBuilds(): void {
  for (const name of globSync("dist-*", { cwd: root })) {
    const folder = join(root, name);
    const ageMs = Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Infinity);
    if (ageMs > LONGEST_BUILD_MS) rmSync(folder, { recursive: true, force: true });
  }
}

/** Builds the pages and the documents in other processes, which give their memory back and always make the production build. */
async function build(outDir: string): Promise<void> {
  const vite = join(dirname(fileURLToPath(import.meta.resolve("vite/package.json"))), "bin", "vite.js");
  const options = { cwd: root, env: { ...process.env, NODE_ENV: "production" } };
  await promisify(execFile)(process.execPath, [vite, "build", "--logLevel", "error", "--outDir", outDir], options);
  await promisify(execFile)(process.execPath, ["guide/write.ts", outDir], options);
}

/** Returns a digest of the names and the contents of the sources. */
function digestOfSources(): string {
  const files = SOURCES.flatMap((pattern) => globSync(pattern, { cwd: root, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const digest = createHash("sha256");
  for (const file of files)
    digest
      .update(`${file.slice(root.length)}\0`)
      .update(readFileSync(file))
      .update("\0");
  return digest.digest("hex");
}

/** Puts the new folder in the place of the old one. Two processes may do so at once: both folders have the same content. */
function replaceFolder(made: string): void {
  const old = `${made}-old`;
  try {
    if (existsSync(dist)) renameSync(dist, old);
    renameSync(made, dist);
  } catch (error) {
    if (!existsSync(join(dist, STAMP))) throw error;
  } finally {
    rmSync(old, { recursive: true, force: true });
  }
}
