import { type ErasedRecord, HEADER_BYTES, type JournalRecord, lengthIn, lsnIn, MAGIC, recordIn } from "./record.ts";

type PlacedRecord = { record: JournalRecord | ErasedRecord; position: number; bytes: number };

/**
 * Bytes of a segment without a readable record. `records` is the number of lost records, calculated from the number of the next record.
 * `records` is undefined at the end of a segment, where the last record may never have been acknowledged.
 */
export type LostStretch = {
  position: number;
  bytes: number;
  firstLsn: number;
  records: number | undefined;
  /** Whether the bytes look like a write that a stop of the service or the machine interrupted. */
  isUnfinishedWrite: boolean;
};

/** Yields the readable records of a segment. Calls `lost` for each stretch of bytes that contains no readable record. */
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
      const end = next ?? segment.length;
      lost({
        position,
        bytes: end - position,
        firstLsn: expectedLsn,
        records: next === undefined ? undefined : lsnIn(segment.subarray(next)) - expectedLsn,
        isUnfinishedWrite: next === undefined && isUnfinishedWrite(segment.subarray(position)),
      });
      if (next === undefined) return;
      position = next;
      continue;
    }
    const bytes = HEADER_BYTES + lengthIn(segment.subarray(position))!;
    yield { record, position, bytes };
    expectedLsn = record.lsn + 1;
    position += bytes;
  }
}

/** Returns whether the bytes at the end of a segment are the start of a record, or only zeros. */
function isUnfinishedWrite(tail: Buffer): boolean {
  const mark = tail.subarray(0, MAGIC.length);
  const length = lengthIn(tail);
  const isStart =
    mark.equals(MAGIC.subarray(0, mark.length)) && !(length !== undefined && HEADER_BYTES + length <= tail.length);
  return isStart || tail.every((byte) => byte === 0);
}

function nextRecord(segment: Buffer, from: number, expectedLsn: number): number | undefined {
  // If the header is intact, only the body is damaged. The body is not searched for a record, because its bytes may look like a record.
  const end = from + HEADER_BYTES + (lengthIn(segment.subarray(from)) ?? NaN);
  if (end === segment.length) return undefined;
  if (isRecord(segment, end, from, expectedLsn)) return end;
  for (let at = segment.indexOf(MAGIC, from + 1); at !== -1; at = segment.indexOf(MAGIC, at + 1)) {
    if (isRecord(segment, at, from, expectedLsn)) return at;
  }
  return undefined;
}

/** Returns whether a record begins at `at`. The lost bytes from `from` to `at` limit the numbers that this record can have. */
function isRecord(segment: Buffer, at: number, from: number, expectedLsn: number): boolean {
  if (!(at + HEADER_BYTES <= segment.length)) return false;
  const lsn = lsnIn(segment.subarray(at));
  if (!(lsn >= expectedLsn && lsn <= expectedLsn + (at - from) / HEADER_BYTES)) return false;
  return recordIn(segment.subarray(at)) !== undefined;
}
