import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { tryLock } from "../../stores/folder/data-dir-lock.ts";
import { copyRecordings } from "../../voice/recordings/folder.ts";
import { copyStoreFiles, copyServedStore } from "../../stores/sqlite/store-copy.ts";
import { copyJournal } from "./journal-copy.ts";
import { durableFile, type Manifest, writeManifest } from "./manifest.ts";
import { FolderRefusal, type Progress, requireFinishedFolder } from "./refusal.ts";

export type Backup = { folder: string; files: number; bytes: number; holdsSecrets: boolean };

/**
 * Files that the backup does not copy as plain files. Separate functions copy the relational store and the journal. A start
 * rebuilds the trace store from the journal. A lock file belongs to a running process.
 */
const LEFT_OUT = /^(lock\.db|(relational|traces|samples|analytics)\.|journal$|.*\.new$)/;
const SECRETS = ["encryption-key", "auth-secret"];

/**
 * Copies the data folder to `target`, even while a service uses it. The copy contains everything that the service acknowledged
 * before the call. The relational store is copied first. The service writes a record about a conversation after the conversation's
 * spans and recording. So for each copied record, the copy also contains the spans and the recording.
 */
export async function backupDataFolder(dataDir: string, target: string, progress: Progress): Promise<Backup> {
  requireFinishedFolder(dataDir);
  if (!existsSync(join(dataDir, "relational.db"))) {
    throw new FolderRefusal(
      "no_data_folder",
      `${dataDir} is not a data folder. Name it with --data-dir or SVC_DATA_DIR.`,
    );
  }
  if (existsSync(target) && readdirSync(target).length > 0) {
    throw new FolderRefusal("target_not_empty", `${target} is not empty. Name a new folder for the backup.`);
  }
  const isNew = !existsSync(target);
  mkdirSync(target, { recursive: true, mode: 0o700 });
  chmodSync(target, 0o700);
  try {
    await copyAll(dataDir, target, progress);
    const manifest: Manifest = { format: 1, createdAt: new Date().toISOString(), files: [] };
    const paths = filesIn(target);
    for (const [index, path] of paths.entries()) {
      progress(`Computing checksums: file ${index + 1} of ${paths.length}`);
      chmodSync(join(target, path), 0o600);
      manifest.files.push(durableFile(target, path));
    }
    writeManifest(target, manifest);
    const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
    const holdsSecrets = SECRETS.some((name) => paths.includes(name));
    return { folder: target, files: paths.length, bytes, holdsSecrets };
  } catch (error) {
    for (const name of readdirSync(target)) rmSync(join(target, name), { recursive: true, force: true });
    if (isNew) rmSync(target, { recursive: true, force: true });
    throw error;
  }
}

async function copyAll(dataDir: string, target: string, progress: Progress): Promise<void> {
  for (const name of SECRETS) copyIfThere(dataDir, target, name);
  progress("Copying the relational store");
  const unlock = tryLock(dataDir);
  try {
    if (unlock === undefined) await copyServedStore(dataDir, target, progress);
    else copyStoreFiles(dataDir, target);
  } finally {
    unlock?.();
  }
  copyJournal(dataDir, target, progress);
  copyRecordings(dataDir, target, progress);
  for (const entry of readdirSync(dataDir, { withFileTypes: true })) {
    if (entry.isFile() && !LEFT_OUT.test(entry.name)) copyIfThere(dataDir, target, entry.name);
  }
}

function copyIfThere(from: string, to: string, name: string): void {
  try {
    copyFileSync(join(from, name), join(to, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

/** Returns the paths of all files in a folder, sorted and relative to the folder. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .map((path) => path.replaceAll("\\", "/"))
    .sort();
}
