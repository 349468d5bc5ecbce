import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { syncPath } from "../../base/sync-path.ts";
import type { RecordAddress } from "../span-batch.ts";
import {
  bodyBytes,
  erasedHeaderOf,
  HEADER_BYTES,
  headerOf,
  isCleared,
  isErased,
  type JournalRecord,
} from "./record.ts";
import { recordsIn } from "./records.ts";
import { movedBodyPath, removeSegment, segmentPath, segmentsIn } from "./segments.ts";
import { readRecordAt, remainingOf, withSegment } from "./stored-record.ts";

type JournalEraser = {
  /**
   * Replaces the record's body by the result of `reduce`, or erases the body if the result is null. The record's address stays
   * valid. Does nothing if the record is missing or damaged.
   */
  reduce: (address: RecordAddress, reduce: (record: JournalRecord) => Buffer | null) => void;
  /** Erases the records that were received before `timeMs`, and the damaged bytes between them. */
  eraseBefore: (timeMs: number) => Promise<number>;
  /** Removes the segments that contain only erased records. Never removes the segment to which the journal still writes. */
  removeErased: (segments: Iterable<number>) => void;
};

const ZEROS = Buffer.alloc(1 << 20);

/**
 * Erasing first writes the spans of other conversations in the same body to a separate file. Then it overwrites the
 * record in place: first the header, which marks the body as erased, then the body.
 */
export function createJournalEraser(dir: string): JournalEraser {
  /** Receipt time of the oldest record that is not erased, by segment. Contains only segments to which the journal no longer writes. */
  const oldest = new Map<number, number>();

  function reduce(address: RecordAddress, keep: (record: JournalRecord) => Buffer | null): void {
    withSegment(dir, address.segment, "r+", (file) => {
      const stored = readRecordAt(file, address.position);
      if (stored === undefined) return;
      const record = remainingOf(dir, address, stored);
      const body = record === undefined ? null : keep(record);
      if (record !== undefined && body !== null) {
        if (body === record.chunks[0]) {
          // A crash may have happened after the header was written and before the body was overwritten.
          if (isErased(stored) && !isCleared(headerAt(file, address.position)))
            eraseRecord(file, address.position, true);
          return;
        }
        writeMoved(address, { ...record, compression: "identity", chunks: [body] });
      }
      if (body === null) removeMoved(address);
      eraseRecord(file, address.position, body !== null);
      fdatasyncSync(file);
    });
  }

  function writeMoved(address: RecordAddress, record: JournalRecord): void {
    const path = movedBodyPath(dir, address);
    const file = openSync(`${path}.new`, "w");
    writeAll(file, Buffer.concat([headerOf(record, bodyBytes(record.chunks)), ...record.chunks]), 0);
    fsyncSync(file);
    closeSync(file);
    renameSync(`${path}.new`, path);
    syncPath(dir);
  }

  function removeMoved(address: RecordAddress): void {
    rmSync(movedBodyPath(dir, address), { force: true });
    syncPath(dir);
  }

  async function eraseBefore(timeMs: number): Promise<number> {
    let erased = 0;
    const names = segmentsIn(dir);
    for (const name of names) {
      const isNewest = name === names.at(-1);
      if ((oldest.get(name) ?? firstReceivedMs(name)) >= timeMs) continue;
      erased += eraseInSegment(name, timeMs, isNewest);
      await nextTurn();
    }
    return erased;
  }

  function removeErased(segments: Iterable<number>): void {
    const newest = segmentsIn(dir).at(-1);
    for (const name of new Set(segments)) {
      if (name === newest || !holdsOnlyErased(readFileSync(segmentPath(dir, name)), name)) continue;
      removeSegment(dir, name);
      oldest.delete(name);
    }
  }

  /**
   * Returns -Infinity if the segment's first record is erased or damaged, so that the segment counts as old and is read
   * as a whole.
   */
  const firstReceivedMs = (name: number): number =>
    withSegment(dir, name, "r", (file) => {
      const first = readRecordAt(file, 0);
      return first === undefined || isErased(first) ? undefined : first.receivedMs;
    }) ?? -Infinity;

  function eraseInSegment(name: number, timeMs: number, isNewest: boolean): number {
    const bytes = readFileSync(segmentPath(dir, name));
    const records = [...recordsIn(bytes, name, () => {})];
    const kept = records.filter(
      ({ record }) => record.receivedMs >= timeMs && !(isErased(record) && record.erased === "gone"),
    );
    const old = records.filter(({ record }) => record.receivedMs < timeMs);
    if (!isNewest && kept.length === 0) {
      removeSegment(dir, name);
      oldest.delete(name);
      return old.filter(({ record }) => !isErased(record)).length;
    }
    let erased = 0;
    withSegment(dir, name, "r+", (file) => {
      let end = 0; // the end of the previous record if that record is old, else Infinity
      for (const { record, position, bytes: length } of records) {
        if (record.receivedMs < timeMs) {
          if (!isErased(record) || record.erased === "moved" || !isCleared(bytes.subarray(position))) {
            removeMoved({ segment: name, position });
            eraseRecord(file, position, false);
            erased++;
          }
          clear(file, end, position);
        }
        end = record.receivedMs < timeMs ? position + length : Infinity;
      }
      // In the newest segment, the journal may be writing after the last record.
      if (!isNewest) clear(file, end, bytes.length);
      fdatasyncSync(file);
    });
    if (!isNewest) oldest.set(name, Math.min(...kept.map(({ record }) => record.receivedMs)));
    return erased;
  }

  return { reduce, eraseBefore, removeErased };
}

function holdsOnlyErased(bytes: Buffer, name: number): boolean {
  let isDamaged = false;
  for (const { record } of recordsIn(bytes, name, () => (isDamaged = true)))
    if (!isErased(record) || record.erased !== "gone") return false;
  return !isDamaged;
}

/** Erases a record. If the service crashes between the new header and the overwriting of the body, the record is still valid. */
function eraseRecord(file: number, position: number, moved: boolean): void {
  const header = headerAt(file, position);
  const length = header.readUInt32LE(8);
  writeAll(file, erasedHeaderOf(header, { moved, cleared: false }), position);
  fdatasyncSync(file);
  clear(file, position + HEADER_BYTES, position + HEADER_BYTES + length);
  fdatasyncSync(file);
  writeAll(file, erasedHeaderOf(header, { moved, cleared: true }), position);
}

function clear(file: number, from: number, to: number): void {
  for (let at = from; at < to; at += ZEROS.length)
    writeAll(file, ZEROS.subarray(0, Math.min(ZEROS.length, to - at)), at);
}

function headerAt(file: number, position: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  readSync(file, header, 0, HEADER_BYTES, position);
  return header;
}

function writeAll(file: number, bytes: Buffer, position: number): void {
  for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done, bytes.length - done, position + done);
}
