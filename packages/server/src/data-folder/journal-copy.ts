import { constants, copyFileSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { recordsIn } from "../traces/journal/records.ts";
import { journalDir, movedBodiesIn, segmentPath, segmentsIn } from "../traces/journal/segments.ts";
import { FolderRefusal, type Progress } from "./refusal.ts";

const PASSES_MAX = 20;

/**
 * Copies the journal's segments while a service may append to the newest one, and may rewrite or remove older ones. Returns
 * once a pass over the older segments finds none that changed, so that the copy holds every record of its first moment that
 * retention has not erased meanwhile.
 */
export function copyJournal(dataDir: string, target: string, progress: Progress): void {
  const [from, to] = [journalDir(dataDir), journalDir(target)];
  mkdirSync(to, { recursive: true, mode: 0o700 });
  const copied = new Map<number, string>();
  for (let pass = 0; pass < PASSES_MAX; pass++) {
    const names = listed(from);
    const newest = pass === 0 ? names.at(-1) : Math.max(...copied.keys());
    for (const name of [...copied.keys()].filter((name) => !names.includes(name))) {
      rmSync(segmentPath(to, name), { force: true });
      copied.delete(name);
    }
    let changes = 0;
    for (const [index, name] of names.filter((name) => newest !== undefined && name <= newest).entries()) {
      const version = versionOf(segmentPath(from, name), name === newest);
      if (version === undefined || copied.get(name) === version) continue;
      progress(`Copying the journal: segment ${index + 1} of ${names.length}`);
      if (!copyWhole(segmentPath(from, name), segmentPath(to, name))) continue;
      copied.set(name, version);
      changes++;
    }
    if (changes > 0) continue;
    // An erased record names its remaining part only when that file is complete.
    for (const file of newest === undefined ? [] : movedBodiesIn(from)) copyWhole(join(from, file), join(to, file));
    return endAtRecord(to, newest);
  }
  throw new FolderRefusal("journal_changes", "The journal changed during each pass of the copy. Try again later.");
}

/** Returns the segments in a directory; none without the directory. */
function listed(dir: string): number[] {
  try {
    return segmentsIn(dir);
  } catch {
    return [];
  }
}

/** Returns a text that differs after a rewrite of the file, and after an append unless appends are expected. */
function versionOf(path: string, mayGrow: boolean): string | undefined {
  try {
    const { ino, size, mtimeMs } = statSync(path);
    return mayGrow ? `${ino}` : `${ino} ${size} ${mtimeMs}`;
  } catch {
    return undefined;
  }
}

/** Copies a file; returns false when it was removed. */
function copyWhole(from: string, to: string): boolean {
  try {
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    rmSync(to, { force: true });
    return false;
  }
}

/** Cuts the copy of the newest segment after its last whole record, because the service was writing behind it. */
function endAtRecord(dir: string, newest: number | undefined): void {
  if (newest === undefined) return;
  const path = segmentPath(dir, newest);
  const bytes = readFileSync(path);
  let end = 0;
  for (const record of recordsIn(bytes, newest, () => undefined)) end = record.position + record.bytes;
  if (end < bytes.length) truncateSync(path, end);
}

/** Returns the paths of the copied segments, relative to the folder. */
export const segmentFiles = (folder: string): string[] =>
  listed(journalDir(folder)).map((name) => join("journal", segmentPath("", name)).replaceAll("\\", "/"));
