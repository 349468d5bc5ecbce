import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import type { RecordAddress } from "../span-batch.ts";
import { HEADER_BYTES, isErased, type JournalRecord, lengthIn, recordIn } from "./record.ts";
import { movedBodyPath, segmentPath } from "./segments.ts";

/** Returns the record at the position; undefined if it is missing or damaged. */
export function readRecordAt(file: number, position: number): ReturnType<typeof recordIn> {
  const header = Buffer.alloc(HEADER_BYTES);
  readSync(file, header, 0, HEADER_BYTES, position);
  const length = lengthIn(header);
  if (length === undefined || position + HEADER_BYTES + length > fstatSync(file).size) return undefined;
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + length);
  return readSync(file, bytes, 0, bytes.length, position) === bytes.length ? recordIn(bytes) : undefined;
}

/** Returns the record with what an erasure left of its body; undefined if nothing is left, or if the record is damaged. */
export function remainingOf(
  dir: string,
  address: RecordAddress,
  record: ReturnType<typeof recordIn>,
): JournalRecord | undefined {
  if (record === undefined || !isErased(record)) return record;
  if (record.erased === "gone") return undefined;
  try {
    return recordIn(readFileSync(movedBodyPath(dir, address)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

export function withSegment<T>(
  dir: string,
  segment: number,
  flags: "r" | "r+",
  work: (file: number) => T,
): T | undefined {
  let file: number;
  try {
    file = openSync(segmentPath(dir, segment), flags);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    return work(file);
  } finally {
    closeSync(file);
  }
}
