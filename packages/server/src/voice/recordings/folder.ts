import { copyFileSync, constants, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

export const recordingsDir = (dataDir: string): string => join(dataDir, "recordings");

/** Returns the size of each finished recording in bytes, by name. */
export function recordingsIn(dataDir: string): Map<string, number> {
  const sizes = new Map<string, number>();
  const dir = recordingsDir(dataDir);
  for (const entry of ifThere(() => readdirSync(dir, { withFileTypes: true })) ?? []) {
    const bytes = entry.isFile() ? ifThere(() => statSync(join(dir, entry.name)).size) : undefined;
    if (bytes !== undefined) sizes.set(entry.name, bytes);
  }
  return sizes;
}

/**
 * Copies the finished recordings. A service may add and erase recordings meanwhile. Copy the relational database before them. A recording
 * is complete before its row exists, so the copies contain the recording of each copied row, unless it was erased in the meantime.
 */
export function copyRecordings(dataDir: string, target: string, progress: (text: string) => void): void {
  const names = [...recordingsIn(dataDir).keys()];
  if (names.length === 0) return;
  const [from, to] = [recordingsDir(dataDir), recordingsDir(target)];
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const [index, name] of names.entries()) {
    progress(`Copying the recordings: file ${index + 1} of ${names.length}`);
    ifThere(() => copyFileSync(join(from, name), join(to, name), constants.COPYFILE_FICLONE));
  }
}

function ifThere<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return undefined;
  }
}
