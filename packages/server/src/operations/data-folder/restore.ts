import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { isLocked } from "../../stores/folder/data-dir-lock.ts";
import { filesIn } from "./backup.ts";
import { durableFile, MANIFEST, readManifest } from "./manifest.ts";
import { FolderRefusal, type Progress } from "./refusal.ts";

export type Restored = { folder: string; files: number; bytes: number; createdAt: string; replaced: string | null };

/**
 * Checks the backup in `source` and restores its files to `dataDir`. Throws when the backup is damaged or incomplete, or when a service
 * uses `dataDir`. If `dataDir` has files, the call throws; with `replace`, it renames that folder first.
 */
export function restoreDataFolder(
  source: string,
  dataDir: string,
  { replace, progress }: { replace: boolean; progress: Progress },
): Restored {
  const { files, createdAt } = readManifest(source);
  const surplus = filesIn(source).find((path) => path !== MANIFEST && !files.some((file) => file.path === path));
  if (surplus) throw damagedBackup(source, surplus, "is not in the manifest");
  const held = existsSync(dataDir) ? readdirSync(dataDir) : [];
  if (held.length > 0 && isLocked(dataDir)) {
    throw new FolderRefusal("folder_in_use", `A service runs on ${dataDir}. Stop that service.`);
  }
  if (held.length > 0 && !replace) {
    const remedy = "Name a new folder with --data-dir, or add --replace to move the present folder aside.";
    throw new FolderRefusal("folder_not_empty", `${dataDir} is not empty. ${remedy}`);
  }
  const unfinished = `${dataDir}.restoring`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true, mode: 0o700 });
  try {
    let bytes = 0;
    for (const [index, file] of files.entries()) {
      progress(`Copying and checking: file ${index + 1} of ${files.length}`);
      copyChecked(source, unfinished, file);
      bytes += file.bytes;
    }
    const replaced = held.length > 0 ? moveAside(dataDir) : null;
    putInPlace(unfinished, dataDir);
    return { folder: dataDir, files: files.length, bytes, createdAt, replaced };
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    throw error;
  }
}

function copyChecked(source: string, target: string, file: { path: string; bytes: number; sha256: string }): void {
  const to = join(target, file.path);
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  try {
    copyFileSync(join(source, file.path), to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw damagedBackup(source, file.path, "is missing");
  }
  chmodSync(to, 0o600);
  const { sha256 } = durableFile(target, file.path);
  if (sha256 !== file.sha256) throw damagedBackup(source, file.path, "differs from its checksum in the manifest");
}

const damagedBackup = (source: string, path: string, finding: string) =>
  new FolderRefusal("damaged_backup", `The file ${join(source, path)} ${finding}. Use another backup.`);

function moveAside(dataDir: string): string {
  const aside = `${dataDir}.replaced-${new Date().toISOString().replaceAll(/[:.]/g, "-")}`;
  try {
    renameSync(dataDir, aside);
  } catch (error) {
    const cause = (error as Error).message;
    throw new FolderRefusal("cannot_replace", `${dataDir} cannot be renamed (${cause}). Empty it, and restore again.`);
  }
  return aside;
}

/**
 * Renames the folder `from` to `dataDir`. When that fails because `dataDir` is an empty folder that cannot be replaced, such as a mount
 * point, moves the files into it.
 */
function putInPlace(from: string, dataDir: string): void {
  try {
    renameSync(from, dataDir);
  } catch {
    chmodSync(dataDir, 0o700);
    for (const name of readdirSync(from)) renameSync(join(from, name), join(dataDir, name));
    rmSync(from, { recursive: true });
  }
}
