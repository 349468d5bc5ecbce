import { constants, copyFileSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { recordsIn } from "../../traces/journal/records.ts";
import { journalDir, movedBodiesIn, segmentPath, segmentsIn } from "../../traces/journal/segments.ts";
import { FolderRefusal, type Progress } from "./refusal.ts";

const PASSES_MAX = 20;
/** A newest segment that is still incomplete after this many copies is damaged. */
const NEWEST_PASSES = 3;

/**
 * Copies the journal's segments. Meanwhile, a service may append to the newest segment, and may erase records in all segments. Repeats
 * until a pass finds no change except appends. The copy then contains every record that existed at the start, except the erased ones.
 */
export function copyJournal(dataDir: string, target: string, progress: Progress): void {
  const [from, to] = [journalDir(dataDir), journalDir(target)];
  mkdirSync(to, { recursive: true, mode: 0o700 });
  const newest = listed(from).at(-1);
  if (newest === undefined) return;
  const copied = new Map<string, string>();
  for (let pass = 0; pass < PASSES_MAX; pass++) {
    const segments = listed(from).filter((name) => name <= newest);
    const newestPath = segmentPath("", newest);
    // Before the service erases records of a body, it writes the remaining spans into a separate file.
    const names = [...segments.map((name) => segmentPath("", name)), ...movedBodiesIn(from)];
    let changes = 0;
    for (const name of [...copied.keys()].filter((name) => !names.includes(name))) {
      rmSync(join(to, name), { force: true });
      copied.delete(name);
    }
    for (const [index, name] of names.entries()) {
      const version = versionOf(join(from, name), name === newestPath);
      if (version === undefined || copied.get(name) === version) continue;
      progress(`Copying the journal: file ${index + 1} of ${names.length}`);
      if (!copyWhole(join(from, name), join(to, name))) continue;
      copied.set(name, version);
      changes++;
    }
    if (copied.has(newestPath) && !endsAtRecord(join(to, newestPath), newest) && pass < NEWEST_PASSES) {
      copied.delete(newestPath);
      changes++;
    }
    if (changes === 0) return;
  }
  throw new FolderRefusal("journal_changes", "The journal changed during each pass of the copy. Try again later.");
}

function listed(dir: string): number[] {
  try {
    return segmentsIn(dir);
  } catch {
    return [];
  }
}

/**
 * Returns a text that identifies the content of a file: it changes when the file is rewritten. With `mayGrow`, appends do not change it.
 */
function versionOf(path: string, mayGrow: boolean): string | undefined {
  try {
    const { ino, size, mtimeMs } = statSync(path);
    return mayGrow ? `${ino}` : `${ino} ${size} ${mtimeMs}`;
  } catch {
    return undefined;
  }
}

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

/**
 * Truncates the copy of the newest segment after its last record, because the service may have been writing the bytes that follow.
 * Returns false when earlier bytes contain no record: the service erased a record during the copy, or the segment is damaged.
 */
function endsAtRecord(path: string, name: number): boolean {
  const bytes = readFileSync(path);
  let isWhole = true;
  let tail = 0;
  for (const _ of recordsIn(bytes, name, ({ bytes: count }) => (tail = count))) {
    if (tail > 0) isWhole = false;
    tail = 0;
  }
  if (tail > 0) truncateSync(path, bytes.length - tail);
  return isWhole;
}
