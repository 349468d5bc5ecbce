import { copyFileSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { recordingsDir, recordingsIn } from "../../voice/recordings/folder.ts";
import { processFolderIn } from "../../stores/folder/process-folder.ts";
import { syncPath } from "../../base/sync-path.ts";
import type { Progress } from "./refusal.ts";

export type MovedRecordings = { copied: number; present: number };

/**
 * Copies the recordings into the folder of a process on the databases, under the same names. That process later moves them to its object
 * store. Skips recordings that are already there with the same size.
 */
export async function moveRecordings(
  dataDir: string,
  target: string | undefined,
  progress: Progress,
): Promise<MovedRecordings> {
  if (target === undefined) return { copied: 0, present: 0 };
  return copyRecordingFiles([...recordingsIn(dataDir).keys()], dataDir, processFolderIn(target), progress);
}

/** Skips recordings that are already there with the same size. */
export function copyRecordingFiles(
  names: readonly string[],
  source: string,
  target: string,
  progress: Progress,
): MovedRecordings {
  const [from, to] = [recordingsDir(source), recordingsDir(target)];
  mkdirSync(to, { recursive: true, mode: 0o700 });
  const [held, there] = [recordingsIn(source), recordingsIn(target)];
  const missing = names.filter((name) => there.get(name) !== held.get(name));
  for (const [index, name] of missing.entries()) {
    progress(`Copying the recordings: file ${index + 1} of ${missing.length}`);
    const unfinished = join(to, `${name}.new`);
    copyFileSync(join(from, name), unfinished);
    syncPath(unfinished);
    renameSync(unfinished, join(to, name));
  }
  syncPath(to);
  return { copied: missing.length, present: names.length - missing.length };
}
