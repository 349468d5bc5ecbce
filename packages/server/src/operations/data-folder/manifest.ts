import { createHash } from "node:crypto";
import { closeSync, fsyncSync, openSync, readFileSync, readSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FolderRefusal } from "./refusal.ts";

/** A file of a backup. The path is relative to the folder and has slashes. */
type BackupFile = { path: string; bytes: number; sha256: string };

export type Manifest = { format: 1; createdAt: string; files: BackupFile[] };

export const MANIFEST = "backup.json";

const READ_BYTES = 1024 * 1024;

/** Writes the list of a backup's files. A backup without this list is incomplete. */
export function writeManifest(folder: string, manifest: Manifest): void {
  writeFileSync(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true });
}

function whyWithout(folder: string): string {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return "it does not exist";
  return found.isDirectory() ? `it has no readable ${MANIFEST}` : "it is a file";
}

export function readManifest(folder: string): Manifest {
  let manifest: Manifest;
  try {
    manifest = JSON.parse(readFileSync(join(folder, MANIFEST), "utf8")) as Manifest;
  } catch {
    throw new FolderRefusal(
      "incomplete_backup",
      `${folder} is not a complete backup: ${whyWithout(folder)}. Name a folder that \`svc backup\` wrote.`,
    );
  }
  if (manifest.format !== 1 || !Array.isArray(manifest.files)) {
    throw new FolderRefusal(
      "unknown_backup",
      `A newer version wrote the backup ${folder}. Restore it with that version.`,
    );
  }
  const outside = manifest.files.find(({ path }) => path.startsWith("/") || path.split("/").includes(".."));
  if (outside)
    throw new FolderRefusal("damaged_backup", `The manifest names a file outside of the backup: ${outside.path}.`);
  return manifest;
}

/** Syncs a file to the disk. */
export function durableFile(folder: string, path: string): BackupFile {
  const file = openSync(join(folder, path), "r+");
  try {
    fsyncSync(file);
    const hash = createHash("sha256");
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    let bytes = 0;
    for (let length; (length = readSync(file, buffer, 0, READ_BYTES, bytes)) > 0; bytes += length) {
      hash.update(buffer.subarray(0, length));
    }
    return { path, bytes, sha256: hash.digest("hex") };
  } finally {
    closeSync(file);
  }
}
