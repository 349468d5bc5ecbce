import { closeSync, mkdirSync, openSync, readSync, statSync } from "node:fs";
import type { RecordAddress } from "../span-batch.ts";
import { dayOf } from "../store/day.ts";
import { type JournalDisk, realDisk } from "./disk.ts";
import { segmentPath, segmentsIn } from "./segments.ts";
import { bodyBytes, HEADER_BYTES, headerOf, type JournalRecord } from "./record.ts";
import { type LostStretch, recordsIn } from "./records.ts";
import { remainingOf } from "./stored-record.ts";

export type Journal = {
  /**
   * Writes the record, and calls `done` once the record is on disk or the write has failed. One error may fail several successive
   * records. Their callbacks then run from the newest record to the oldest.
   */
  append: (record: JournalRecord, done: AppendCallback) => void;
  /** The number of the first record in the newest segment of earlier runs; 0 if there is none. */
  newestSegmentLsn: number;
  /**
   * Yields the records with numbers above `lsn` that are on disk, in order. Yields undefined while no further record is on disk.
   * Calls `lost` for each stretch of bytes without a record.
   */
  recordsAbove: (lsn: number, lost: ReportLost) => Generator<PlacedRecord | undefined>;
  lastLsn: () => number;
  bytesAbove: (lsn: number) => number;
  /** Resolves when all queued records are written or have failed. Returns undefined if no record is queued. */
  writing: () => Promise<void> | undefined;
  /** Writes the queued records. Later records fail. */
  close: () => Promise<void>;
};

export type PlacedRecord = { record: JournalRecord; address: RecordAddress };
type ReportLost = (segment: number, stretch: LostStretch) => void;

/** Called with null and the record's address once the record is on disk, or with the error. With an error, the address has no meaning. */
export type AppendCallback = (error: unknown, address: RecordAddress) => void;

const SEGMENT_BYTES = 64 * 1024 * 1024;
const WRITE_BUFFERS_MAX = 1_000; // Linux accepts at most 1,024

type Entry = { record: JournalRecord; header: Buffer; bytes: number; done: AppendCallback };
type Segment = { name: number; day: number; file: number; bytes: number };

const NO_ADDRESS: RecordAddress = { segment: 0, position: 0 };

/**
 * Opens the journal, which writes request bodies to disk as received, before they are acknowledged. The trace store contains only an index
 * of the spans and the addresses of their bodies; readers get the other data of a span from its body. A process writes only to segments
 * that it created.
 */
export function openJournal(dir: string, disk: JournalDisk = realDisk, segmentBytes = SEGMENT_BYTES): Journal {
  mkdirSync(dir, { recursive: true });
  const earlier = segmentsIn(dir);
  const ownBytes = new Map<number, number>(); // bytes on disk of the segments that this run created
  let segment: Segment | undefined;
  let queue: Entry[] = [];
  let running: Promise<void> | undefined;
  let closed = false;

  function append(record: JournalRecord, done: AppendCallback): void {
    if (closed) return done(new Error("the journal is closed"), NO_ADDRESS);
    const length = bodyBytes(record.chunks);
    queue.push({ record, header: headerOf(record, length), bytes: HEADER_BYTES + length, done });
    running ??= new Promise((resolve) => setImmediate(() => void run().then(resolve)));
  }

  /**
   * Writes the queue in groups, with one sync for each group. A group has the records that arrived while the previous group was written.
   */
  async function run(): Promise<void> {
    while (queue.length > 0) {
      let group: Entry[] = [];
      try {
        if (segment !== undefined && !fits(queue[0]!, segment.day, segment.bytes)) await seal();
        segment ??= await openSegment(queue[0]!.record);
        group = takeGroup(segment);
        await write(segment, group);
      } catch (error) {
        const refused = [...group, ...queue];
        queue = [];
        for (const entry of refused.toReversed()) entry.done(error, NO_ADDRESS);
        await abandon();
        continue;
      }
      let position = segment.bytes;
      for (const entry of group) position -= entry.bytes;
      for (const entry of group) {
        entry.done(null, { segment: segment.name, position });
        position += entry.bytes;
      }
    }
    running = undefined;
  }

  /** A segment contains records of only one day, so that retention can remove whole files. */
  const fits = ({ record, bytes }: Entry, day: number, used: number): boolean =>
    used + bytes <= segmentBytes && dayOf(record.receivedMs) === day;

  function takeGroup({ day, bytes }: Segment): Entry[] {
    let used = bytes + queue[0]!.bytes;
    let end = 1;
    while (end < queue.length && fits(queue[end]!, day, used)) used += queue[end++]!.bytes;
    return queue.splice(0, end);
  }

  async function write(to: Segment, group: Entry[]): Promise<void> {
    const buffers = group.flatMap((entry) => [
      entry.header,
      ...entry.record.chunks.filter((chunk) => chunk.length > 0),
    ]);
    let position = to.bytes;
    for (let first = 0; first < buffers.length; first += WRITE_BUFFERS_MAX) {
      let part = buffers.slice(first, first + WRITE_BUFFERS_MAX);
      while (part.length > 0) {
        const written = await disk.writev(to.file, part, position);
        position += written;
        part = after(part, written);
      }
    }
    await disk.datasync(to.file);
    to.bytes = position;
    ownBytes.set(to.name, position);
  }

  async function openSegment({ lsn, receivedMs }: JournalRecord): Promise<Segment> {
    const file = await disk.create(segmentPath(dir, lsn));
    const opened = { name: lsn, day: dayOf(receivedMs), file, bytes: 0 };
    ownBytes.set(lsn, 0);
    try {
      await disk.syncDirectory(dir);
    } catch (error) {
      segment = opened;
      throw error;
    }
    return opened;
  }

  async function seal(): Promise<void> {
    const { file } = segment!;
    segment = undefined;
    await disk.close(file).catch(() => undefined);
  }

  /** Cuts the segment to its durable bytes and closes it, because an error leaves the file's state unknown. */
  async function abandon(): Promise<void> {
    if (segment === undefined) return;
    const { name, file, bytes } = segment;
    await disk.truncate(file, bytes).catch(() => undefined);
    await seal();
    if (bytes === 0) await disk.remove(segmentPath(dir, name)).catch(() => undefined);
  }

  /** Returns the segments that may have records above `lsn`, and always the last segment. */
  const segmentsAbove = (lsn: number): number[] =>
    segmentsIn(dir).filter((_, index, names) => names[index + 1] === undefined || names[index + 1]! - 1 > lsn);

  /** After a failed write, the file may be longer than its durable bytes. */
  const durableBytes = (name: number): number => ownBytes.get(name) ?? statSync(segmentPath(dir, name)).size;

  const bytesAbove = (lsn: number): number =>
    segmentsAbove(lsn).reduce((sum, name) => sum + statSync(segmentPath(dir, name)).size, 0);

  function lastLsn(): number {
    const name = earlier.at(-1);
    if (name === undefined) return 0;
    const bytes = bytesOf(segmentPath(dir, name), 0, durableBytes(name));
    return [...recordsIn(bytes, name, () => undefined)].at(-1)?.record.lsn ?? name;
  }

  function* recordsAbove(lsn: number, lost: ReportLost): Generator<PlacedRecord | undefined> {
    let [done, doneBytes, last] = [-1, 0, lsn]; // the segment being read, the bytes read of it, its last record
    for (;;) {
      const name = segmentsAbove(lsn).find(
        (candidate) => candidate > done || (candidate === done && durableBytes(done) > doneBytes),
      );
      if (name === undefined) {
        yield undefined;
        continue;
      }
      const from = name === done ? doneBytes : 0;
      const end = durableBytes(name);
      const bytes = bytesOf(segmentPath(dir, name), from, end);
      const reportLost = (stretch: LostStretch) => lost(name, { ...stretch, position: from + stretch.position });
      for (const { record: stored, position } of recordsIn(bytes, from === 0 ? name : last + 1, reportLost)) {
        last = stored.lsn;
        if (stored.lsn <= lsn) continue;
        const address = { segment: name, position: from + position };
        const record = remainingOf(dir, address, stored);
        if (record !== undefined) yield { record, address };
      }
      [done, doneBytes] = [name, end];
    }
  }

  async function close(): Promise<void> {
    closed = true;
    await running;
    if (segment !== undefined) await seal();
  }

  return {
    append,
    newestSegmentLsn: earlier.at(-1) ?? 0,
    recordsAbove,
    bytesAbove,
    lastLsn,
    writing: () => running,
    close,
  };
}

function bytesOf(path: string, from: number, end: number): Buffer {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.allocUnsafe(end - from);
    let filled = 0;
    for (let count = -1; count !== 0; filled += count)
      count = readSync(file, bytes, filled, bytes.length - filled, from + filled);
    return bytes.subarray(0, filled);
  } finally {
    closeSync(file);
  }
}

function after(buffers: Buffer[], written: number): Buffer[] {
  if (written === 0) throw new Error("the disk wrote no bytes");
  let skip = written;
  const first = buffers.findIndex((buffer) => {
    if (skip < buffer.length) return true;
    skip -= buffer.length;
    return false;
  });
  if (first === -1) return [];
  return [buffers[first]!.subarray(skip), ...buffers.slice(first + 1)];
}
