import { closeSync, fsyncSync, openSync } from "node:fs";

/** Syncs the content of a file, or the names in a directory, to the disk. */
export function syncPath(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
