import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

export const journalDir = (dataDir: string) => join(dataDir, "journal");

const SUFFIX = ".journal";

/** A segment is named by the number of its first record, in as many digits as sort like numbers. */
export const segmentPath = (dir: string, name: number) => join(dir, `${String(name).padStart(16, "0")}${SUFFIX}`);

/** The names of the segments that are there, in the order of their records. */
export const segmentsIn = (dir: string): number[] =>
  readdirSync(dir)
    .filter((file) => file.endsWith(SUFFIX))
    .map((file) => Number.parseInt(file, 10))
    .sort((a, b) => a - b);

/** Removes the segments whose records all come before the segment `kept`; the newest stays, it may be written to. */
export function removeSegmentsBefore(dir: string, kept: number): void {
  const names = segmentsIn(dir);
  for (const [index, name] of names.entries()) {
    const next = names[index + 1];
    if (next !== undefined && next <= kept) rmSync(segmentPath(dir, name), { force: true });
  }
}
