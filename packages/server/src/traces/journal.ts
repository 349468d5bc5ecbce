import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type JournalDisk, realDisk } from "./journal-disk.ts";
import { bodyBytes, HEADER_BYTES, headerOf, type JournalRecord, recordsIn } from "./journal-record.ts";

export type Journal = {
  /**
   * Writes the record and calls back once it is on disk, or with the error that kept it from there. Of records that one
   * error refuses, the last is told first, and none stands between them that is not refused.
   */
  append: (record: JournalRecord, done: (error: unknown) => void) => void;
  /** No record that earlier runs left has a higher number, when `recordsAbove` yields none. */
  newestSegmentLsn: number;
  /** The records above `lsn` that earlier runs left, in their order; tells of bytes that are not whole records. */
  recordsAbove: (lsn: number, torn: (path: string, bytes: number) => void) => Generator<JournalRecord>;
  /** Removes the segments whose records are all loaded. */
  release: (loadedLsn: number) => void;
  /** Waits for what is queued; refuses what comes later. */
  close: () => Promise<void>;
};

const SEGMENT_BYTES = 64 * 1024 * 1024;
/** A segment that waits for more is given up for a new one after this long, so that loaded bodies do not stay. */
const SEGMENT_IDLE_MS = 60_000;
const WRITE_BUFFERS_MAX = 1_000; // Linux takes 1,024

type Entry = { record: JournalRecord; header: Buffer; bytes: number; done: (error: unknown) => void };
type Segment = { path: string; file: number; bytes: number; lastLsn: number; usedMs: number };
type Sealed = { path: string; lastLsn: number };

/** Request bodies on disk, before they are acknowledged and until they are loaded. */
export function openJournal(dir: string, disk: JournalDisk = realDisk, segmentBytes = SEGMENT_BYTES): Journal {
  mkdirSync(dir, { recursive: true });
  const left = readdirSync(dir)
    .filter((name) => name.endsWith(".journal"))
    .sort();
  let sealed: Sealed[] = left.map((name, index) => ({
    path: join(dir, name),
    lastLsn: index + 1 < left.length ? firstLsnOf(left[index + 1]!) - 1 : Number.POSITIVE_INFINITY,
  }));
  let segment: Segment | undefined;
  let queue: Entry[] = [];
  let running: Promise<void> | undefined;
  let closed = false;

  function append(record: JournalRecord, done: (error: unknown) => void): void {
    if (closed) return done(new Error("the journal is closed"));
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
        for (const entry of refused.toReversed()) entry.done(error);
        await abandon();
        continue;
      }
      for (const entry of group) entry.done(null);
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
    to.lastLsn = group.at(-1)!.record.lsn;
    to.usedMs = Date.now();
  }

  async function openSegment(firstLsn: number): Promise<Segment> {
    const path = join(dir, `${String(firstLsn).padStart(16, "0")}.journal`);
    const file = await disk.create(path);
    const opened = { path, file, bytes: 0, lastLsn: firstLsn - 1, usedMs: Date.now() };
    try {
      await disk.syncDirectory(dir);
    } catch (error) {
      segment = opened;
      throw error;
    }
    return opened;
  }

  async function seal(): Promise<void> {
    const { path, lastLsn, file } = segment!;
    segment = undefined;
    sealed.push({ path, lastLsn });
    await disk.close(file).catch(() => undefined);
  }

  /** After an error the file's state is not known: what is durable stays, and the next record goes to a new file. */
  async function abandon(): Promise<void> {
    if (segment === undefined) return;
    await disk.truncate(segment.file, segment.bytes).catch(() => undefined);
    await seal();
  }

  function* recordsAbove(lsn: number, torn: (path: string, bytes: number) => void): Generator<JournalRecord> {
    for (const past of sealed) {
      if (past.lastLsn <= lsn) continue;
      const bytes = readFileSync(past.path);
      let last = 0;
      let whole = 0;
      for (const record of recordsIn(bytes)) {
        last = record.lsn;
        whole += HEADER_BYTES + bodyBytes(record.chunks);
        if (record.lsn > lsn) yield record;
      }
      past.lastLsn = last;
      if (whole < bytes.length) torn(past.path, bytes.length - whole);
    }
  }

  function release(loadedLsn: number): void {
    const idle = segment !== undefined && running === undefined && segment.lastLsn <= loadedLsn;
    if (idle && Date.now() - segment!.usedMs > SEGMENT_IDLE_MS) void seal();
    const loaded = sealed.filter((past) => past.lastLsn <= loadedLsn);
    if (loaded.length === 0) return;
    sealed = sealed.filter((past) => past.lastLsn > loadedLsn);
    for (const past of loaded) {
      void disk.remove(past.path).catch(() => sealed.push(past));
    }
  }

  async function close(): Promise<void> {
    closed = true;
    await running;
    if (segment !== undefined) await seal();
  }

  const newestSegmentLsn = left.length === 0 ? 0 : firstLsnOf(left.at(-1)!);
  return { append, newestSegmentLsn, recordsAbove, release, close };
}

const firstLsnOf = (name: string) => Number.parseInt(name, 10);

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
