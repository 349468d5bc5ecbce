import { readdirSync, rmSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

export const journalDir = (dataDir: string) => join(dataDir, "journal");

const SUFFIX = ".journal";

/** The file name is the number of the segment's first record, padded so that file names sort in order. */
export const segmentPath = (dir: string, name: number) => join(dir, `${String(name).padStart(16, "0")}${SUFFIX}`);

export const segmentsIn = (dir: string): number[] =>
  readdirSync(dir)
    .filter((file) => file.endsWith(SUFFIX))
    .map((file) => Number.parseInt(file, 10))
    .sort((a, b) => a - b);

const MOVED_SUFFIX = ".body";

/** Returns the path of the file that keeps spans of other conversations from the record that was erased at this address. */
export const movedBodyPath = (dir: string, { segment, position }: { segment: number; position: number }) =>
  join(dir, `${String(segment).padStart(16, "0")}-${position}${MOVED_SUFFIX}`);

export function movedBodyAddress(file: string): { segment: number; position: number } {
  const [segment, position] = file.split("-").map((part) => Number.parseInt(part, 10)) as [number, number];
  return { segment, position };
}

export function removeSegment(dir: string, name: number): void {
  const prefix = `${String(name).padStart(16, "0")}-`;
  for (const file of readdirSync(dir)) if (file.startsWith(prefix)) rmSync(join(dir, file), { force: true });
  rmSync(segmentPath(dir, name), { force: true });
}

export const movedBodiesIn = (dir: string): string[] => readdirSync(dir).filter((file) => file.endsWith(MOVED_SUFFIX));

/** Reads one file size after the other, so that writes never wait for it. */
export async function journalBytes(dir: string): Promise<number> {
  let bytes = 0;
  for (const file of await readdir(dir)) {
    // The retention may have removed the file meanwhile.
    const found = await stat(join(dir, file)).catch(() => undefined);
    bytes += found?.size ?? 0;
  }
  return bytes;
}
