import { readFileSync } from "node:fs";
import { join } from "node:path";
import { recordIn } from "./record.ts";
import { type LostStretch, recordsIn } from "./records.ts";
import { movedBodiesIn, movedBodyAddress, segmentPath, segmentsIn } from "./segments.ts";

/**
 * Reads a segment, and the files with the remaining bodies of its erased records. Yields after each record, and calls `lost` for each
 * stretch of bytes without a readable record.
 */
export function* examineSegment(
  dir: string,
  segment: number,
  lost: (stretch: LostStretch) => void,
): Generator<void, void> {
  const next = segmentsIn(dir).find((name) => name > segment);
  const report = (stretch: LostStretch) => lost(withRecordsBefore(stretch, next));
  for (const _ of recordsIn(readFileSync(segmentPath(dir, segment)), segment, report)) yield;
  for (const file of movedBodiesIn(dir)) {
    const address = movedBodyAddress(file);
    if (address.segment !== segment) continue;
    const bytes = readFileSync(join(dir, file));
    if (recordIn(bytes) === undefined) {
      const { position } = address;
      lost({ position, bytes: bytes.length, firstLsn: 0, records: 1, isUnfinishedWrite: false });
    }
    yield;
  }
}

/** Adds the number of lost records at the end of a segment, calculated from `next`, the number of the next segment's first record. */
export function withRecordsBefore(stretch: LostStretch, next: number | undefined): LostStretch {
  if (stretch.records !== undefined || next === undefined || next <= stretch.firstLsn) return stretch;
  return { ...stretch, records: next - stretch.firstLsn, isUnfinishedWrite: false };
}
