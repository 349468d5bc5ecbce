import { execFile } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** Builds the gallery into a new folder, and returns the folder. */
export async function buildGallery(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "svc-gallery-"));
  const vite = join(dirname(fileURLToPath(import.meta.resolve("vite/package.json"))), "bin", "vite.js");
  await promisify(execFile)(process.execPath, [vite, "build", "--logLevel", "error", "--outDir", folder], {
    cwd: import.meta.dirname,
    env: { ...process.env, NODE_ENV: "production" },
  });
  return folder;
}
