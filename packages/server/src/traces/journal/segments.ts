import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

export const journalDir = (dataDir: string) => join(dataDir, "journal");

const SUFFIX = ".journal";

/** Returns the path of a segment, which is named by the number of its first record. Padding makes names sort in order. */
export const segmentPath = (dir: string, name: number) => join(dir, `${String(name).padStart(16, "0")}${SUFFIX}`);

/** Returns the names of the segments in a directory, in the order of their records. */
export const segmentsIn = (dir: string): number[] =>
  readdirSync(dir)
    .filter((file) => file.endsWith(SUFFIX))
    .map((file) => Number.parseInt(file, 10))
    .sort((a, b) => a - b);

/** Removes the segments before `first`. Never removes the newest, because the journal may be writing to it. */
export function removeSegmentsBefore(dir: string, first: number): void {
  const names = segmentsIn(dir);
  for (const [index, name] of names.entries()) {
    const next = names[index + 1];
    if (next !== undefined && next <= first) rmSync(segmentPath(dir, name), { force: true });
  }
}
