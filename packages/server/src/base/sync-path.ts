import { closeSync, fsyncSync, openSync } from "node:fs";

/** Makes the bytes of a file, or the names in a directory, durable. */
export function syncPath(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
