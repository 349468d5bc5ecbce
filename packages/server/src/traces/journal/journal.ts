import { mkdirSync, readFileSync } from "node:fs";
import type { Place } from "../span-batch.ts";
import { type JournalDisk, realDisk } from "./disk.ts";
import { segmentPath, segmentsIn } from "./segments.ts";
import { bodyBytes, HEADER_BYTES, headerOf, type JournalRecord, recordsIn } from "./record.ts";

export type Journal = {
  /**
   * Writes the record and calls back once it is on disk, or with the error that kept it from there. Of records that one
   * error refuses, the last is told first, and none stands between them that is not refused.
   */
  append: (record: JournalRecord, done: Done) => void;
  /** No record that earlier runs left has a higher number, when `recordsAbove` yields none. */
  newestSegmentLsn: number;
  /** The records above `lsn` that earlier runs left, in their order; tells of bytes that are not whole records. */
  recordsAbove: (
    lsn: number,
    torn: (path: string, bytes: number) => void,
  ) => Generator<{ record: JournalRecord; place: Place }>;
  /** Waits for what is queued; refuses what comes later. */
  close: () => Promise<void>;
};

/** Told where the record lies once it is on disk, or why it is not. */
export type Done = (error: unknown, place: Place) => void;

const SEGMENT_BYTES = 64 * 1024 * 1024;
const WRITE_BUFFERS_MAX = 1_000; // Linux takes 1,024

type Entry = { record: JournalRecord; header: Buffer; bytes: number; done: Done };
type Segment = { name: number; file: number; bytes: number };

const NOWHERE: Place = { segment: 0, position: 0 };

/**
 * Request bodies as they came, on disk before they are acknowledged. They stay: the tables hold where each span's body
 * lies, and the rest of the span is read from there. A segment is never written again by a later run.
 */
export function openJournal(dir: string, disk: JournalDisk = realDisk, segmentBytes = SEGMENT_BYTES): Journal {
  mkdirSync(dir, { recursive: true });
  const left = segmentsIn(dir);
  let segment: Segment | undefined;
  let queue: Entry[] = [];
  let running: Promise<void> | undefined;
  let closed = false;

  function append(record: JournalRecord, done: Done): void {
    if (closed) return done(new Error("the journal is closed"), NOWHERE);
    const length = bodyBytes(record.chunks);
    queue.push({ record, header: headerOf(record, length), bytes: HEADER_BYTES + length, done });
    running ??= new Promise((resolve) => setImmediate(() => void run().then(resolve)));
  }

  /** Each round takes all that came during the round before. */
  async function run(): Promise<void> {
    while (queue.length > 0) {
      let group: Entry[] = [];
      try {
        if (segment !== undefined && segment.bytes + queue[0]!.bytes > segmentBytes) await seal();
        segment ??= await openSegment(queue[0]!.record.lsn);
        group = takeGroup(segment.bytes);
        await write(segment, group);
      } catch (error) {
        const refused = [...group, ...queue];
        queue = [];
        for (const entry of refused.toReversed()) entry.done(error, NOWHERE);
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

  function takeGroup(used: number): Entry[] {
    let bytes = used;
    const end = queue.findIndex((entry, index) => (bytes += entry.bytes) > segmentBytes && index > 0);
    return queue.splice(0, end === -1 ? queue.length : end);
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
  }

  async function openSegment(firstLsn: number): Promise<Segment> {
    const file = await disk.create(segmentPath(dir, firstLsn));
    const opened = { name: firstLsn, file, bytes: 0 };
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

  /** After an error the file's state is not known: what is durable stays, and the next record goes to a new file. */
  async function abandon(): Promise<void> {
    if (segment === undefined) return;
    await disk.truncate(segment.file, segment.bytes).catch(() => undefined);
    await seal();
  }

  function* recordsAbove(lsn: number, torn: (path: string, bytes: number) => void) {
    for (const [index, name] of left.entries()) {
      const next = left[index + 1];
      if (next !== undefined && next - 1 <= lsn) continue;
      const path = segmentPath(dir, name);
      const bytes = readFileSync(path);
      let position = 0;
      for (const record of recordsIn(bytes)) {
        if (record.lsn > lsn) yield { record, place: { segment: name, position } };
        position += HEADER_BYTES + bodyBytes(record.chunks);
      }
      if (position < bytes.length) torn(path, bytes.length - position);
    }
  }

  async function close(): Promise<void> {
    closed = true;
    await running;
    if (segment !== undefined) await seal();
  }

  return { append, newestSegmentLsn: left.at(-1) ?? 0, recordsAbove, close };
}

/** What is left of the buffers once the first `written` bytes are gone. */
function after(buffers: Buffer[], written: number): Buffer[] {
  if (written === 0) throw new Error("the disk takes no more bytes");
  let skip = written;
  const first = buffers.findIndex((buffer) => {
    if (skip < buffer.length) return true;
    skip -= buffer.length;
    return false;
  });
  if (first === -1) return [];
  return [buffers[first]!.subarray(skip), ...buffers.slice(first + 1)];
}
