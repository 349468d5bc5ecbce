import { type ErasedRecord, HEADER_BYTES, type JournalRecord, lengthIn, lsnIn, MAGIC, recordIn } from "./record.ts";

/** A record in a segment, with the bytes that it takes there. */
type PlacedRecord = { record: JournalRecord | ErasedRecord; position: number; bytes: number };

/**
 * A stretch of bytes that holds no readable record. `records` is the number of the records that were there, by the number of
 * the next one; undefined at the end of a segment, where the last may be a record that was never acknowledged.
 */
export type LostStretch = { bytes: number; records: number | undefined };

/**
 * Yields the records of a segment whose first record has the number `firstLsn`, with their positions. Calls `lost` for each
 * stretch without a record, and continues behind it.
 */
export function* recordsIn(
  segment: Buffer,
  firstLsn: number,
  lost: (stretch: LostStretch) => void,
): Generator<PlacedRecord> {
  let expectedLsn = firstLsn;
  let position = 0;
  while (position < segment.length) {
    const record = recordIn(segment.subarray(position));
    if (record === undefined) {
      const next = nextRecord(segment, position, expectedLsn);
      if (next === undefined) return lost({ bytes: segment.length - position, records: undefined });
      lost({ bytes: next - position, records: lsnIn(segment.subarray(next)) - expectedLsn });
      position = next;
      continue;
    }
    const bytes = HEADER_BYTES + lengthIn(segment.subarray(position))!;
    yield { record, position, bytes };
    expectedLsn = record.lsn + 1;
    position += bytes;
  }
}

/** Returns the position of the first record after the damaged one at `from`; undefined when none follows. */
function nextRecord(segment: Buffer, from: number, expectedLsn: number): number | undefined {
  // With an intact header the body alone is damaged. Its bytes are never searched, because they may imitate a record.
  const end = from + HEADER_BYTES + (lengthIn(segment.subarray(from)) ?? NaN);
  if (end === segment.length) return undefined;
  if (isRecord(segment, end, from, expectedLsn)) return end;
  for (let at = segment.indexOf(MAGIC, from + 1); at !== -1; at = segment.indexOf(MAGIC, at + 1)) {
    if (isRecord(segment, at, from, expectedLsn)) return at;
  }
  return undefined;
}

/** Returns whether a record is at `at` whose number fits the bytes that are lost since `from`. */
function isRecord(segment: Buffer, at: number, from: number, expectedLsn: number): boolean {
  if (!(at + HEADER_BYTES <= segment.length)) return false;
  const lsn = lsnIn(segment.subarray(at));
  if (!(lsn >= expectedLsn && lsn <= expectedLsn + (at - from) / HEADER_BYTES)) return false;
  return recordIn(segment.subarray(at)) !== undefined;
}
