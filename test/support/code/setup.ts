import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import type { TestProject } from "vitest/node";
import { codeOfCheckout } from "../../../distribution/binary/bundle.ts";
import { PROGRAMS } from "./programs.ts";

const ROOT = join(import.meta.dirname, "../../..");
const BUILDS = join(ROOT, "build", "specs");
/** Older builds are deleted, because no run takes this long. A watch whose build was deleted makes a new build. */
const BUILD_KEPT_MS = 60 * 60 * 1000;

/**
 * Bundles the threads of the service and the programs that specs start. Loading hundreds of modules costs a thread or process four
 * times the processor time of its work. Specs start the bundle; the long form starts the sources.
 */
export default async function setUp(project: TestProject): Promise<void> {
  await bundle();
  project.onTestsRerun(bundle);
}

async function bundle(): Promise<void> {
  const sources = Object.fromEntries(Object.entries(PROGRAMS).map(([name, path]) => [name, join(ROOT, path)]));
  const files = await codeOfCheckout(sources, "/");
  const digest = createHash("sha256");
  for (const { path, hash } of files) digest.update(`${path} ${hash}\n`);
  // The folder is named by the hash of its content, so that concurrent and later runs share the code and its compiled form.
  const folder = join(BUILDS, digest.digest("hex").slice(0, 16));
  if (existsSync(folder)) utimesSync(folder, new Date(), new Date());
  else write(folder, files);
  process.env["SPEC_CODE"] = join(folder, "code");
}

function write(folder: string, files: Awaited<ReturnType<typeof codeOfCheckout>>): void {
  mkdirSync(BUILDS, { recursive: true });
  for (const name of readdirSync(BUILDS)) {
    const other = join(BUILDS, name);
    if (Date.now() - statSync(other).mtimeMs > BUILD_KEPT_MS) rmSync(other, { recursive: true, force: true });
  }
  const started = mkdtempSync(`${folder}-`);
  mkdirSync(join(started, "code"));
  for (const { path, contents } of files) writeFileSync(join(started, "code", basename(path)), contents);
  const server = join(ROOT, "packages/server");
  for (const name of ["migrations", "package.json"]) symlinkSync(join(server, name), join(started, name));
  try {
    renameSync(started, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(started, { recursive: true }); // another run created the same build first
  }
}
