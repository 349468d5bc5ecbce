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
/** Name of the file in the built folder that contains the digest of its sources. */
const STAMP = ".sources";
/** Maximum age of the folder of a build that still runs. Every build takes less time. */
const LONGEST_BUILD_MS = 10 * 60_000;

/** Returns the folder of the pages. Builds the pages first if the folder was built from other sources, or never. */
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

/** Removes the folders that interrupted builds left. A younger folder may belong to another process that builds now. */
function removeInterruptedBuilds(): void {
  for (const name of globSync("dist-*", { cwd: root })) {
    const folder = join(root, name);
    const ageMs = Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Infinity);
    if (ageMs > LONGEST_BUILD_MS) rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Builds the pages and the documents in child processes. So the memory of the build is freed at its end, and NODE_ENV of this
 * process has no effect on the build.
 */
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

/**
 * Replaces the old folder with the folder `made`. Another process may replace it at the same time, with a folder of the same
 * content.
 */
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
