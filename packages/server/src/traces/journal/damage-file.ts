import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";

/** Bytes of a journal segment that contain no readable record. `records` is the number of lost records; null if unknown. */
export type DamagedStretch = {
  segment: number;
  position: number;
  bytes: number;
  records: number | null;
  since: string;
};

const FILE = "journal-damage.json";

/** Returns an empty list when there is no file, and undefined when the file itself is damaged. */
export function readDamage(dataDir: string): DamagedStretch[] | undefined {
  let text: string;
  try {
    text = readFileSync(join(dataDir, FILE), "utf8");
  } catch {
    return [];
  }
  try {
    const { sum, stretches } = JSON.parse(text) as { sum: number; stretches: DamagedStretch[] };
    return sum === sumOf(stretches) ? stretches : undefined;
  } catch {
    return undefined;
  }
}

export function writeDamage(dataDir: string, stretches: DamagedStretch[]): void {
  const file = join(dataDir, FILE);
  writeFileSync(`${file}.new`, JSON.stringify({ sum: sumOf(stretches), stretches }), { flush: true });
  renameSync(`${file}.new`, file);
}

const sumOf = (stretches: DamagedStretch[]): number => crc32(JSON.stringify(stretches));
