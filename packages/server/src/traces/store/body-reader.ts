import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { AppError } from "../../errors.ts";
import { HEADER_BYTES, type JournalRecord, lengthIn, recordIn } from "../journal/record.ts";
import { segmentPath } from "../journal/segments.ts";
import { createDecoder } from "../otlp/decoder.ts";
import { type RecordAddress, SpanBatch } from "../span-batch.ts";
import { type BodySpans, spansOfBody } from "./body-spans.ts";

const FILES_MAX = 64;
const CACHED_BYTES_MAX = 16 * 1024 * 1024;

export type BodyReader = {
  /** Returns the spans of a body in the journal; undefined when the body is missing or damaged. */
  read: (address: RecordAddress) => BodySpans | undefined;
  /** Closes the open files and forgets their bodies; a later `read` opens them again. Call it before segments change. */
  close: () => void;
};

/** Opens a reader of request bodies in the journal. It caches decoded bodies, because one body holds many traces. */
export function openBodyReader(dir: string): BodyReader {
  const decoder = createDecoder();
  const files = new Map<number, number>();
  const cache = new Map<string, BodySpans>();
  let cachedBytes = 0;

  function read(address: RecordAddress): BodySpans | undefined {
    const key = `${address.segment} ${address.position}`;
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const record = recordAt(address);
    if (record === undefined) return undefined;
    const spans = spansIn(record);
    if (spans === undefined) return undefined;
    if (cachedBytes + spans.bytes > CACHED_BYTES_MAX) {
      cache.clear();
      cachedBytes = 0;
    }
    cache.set(key, spans);
    cachedBytes += spans.bytes;
    return spans;
  }

  /** Returns undefined for a body that the intake could index but whose whole text exceeds the limits. */
  function spansIn(record: JournalRecord): BodySpans | undefined {
    const batch = new SpanBatch(256, 256 << 10);
    try {
      decoder.decodeRecord(record, batch, { index: false });
      return spansOfBody(batch);
    } catch (error) {
      if (error instanceof AppError) return undefined;
      throw error;
    }
  }

  function recordAt({ segment, position }: RecordAddress): JournalRecord | undefined {
    const file = fileOf(segment);
    if (file === undefined) return undefined;
    const header = Buffer.alloc(HEADER_BYTES);
    readSync(file, header, 0, HEADER_BYTES, position);
    const length = lengthIn(header);
    if (length === undefined || position + HEADER_BYTES + length > fstatSync(file).size) return undefined;
    const bytes = Buffer.allocUnsafe(HEADER_BYTES + length);
    return readSync(file, bytes, 0, bytes.length, position) === bytes.length ? recordIn(bytes) : undefined;
  }

  function fileOf(segment: number): number | undefined {
    const open = files.get(segment);
    if (open !== undefined) return open;
    if (files.size >= FILES_MAX) closeFiles();
    try {
      const file = openSync(segmentPath(dir, segment), "r");
      files.set(segment, file);
      return file;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  function closeFiles(): void {
    for (const file of files.values()) closeSync(file);
    files.clear();
  }

  function close(): void {
    closeFiles();
    cache.clear();
    cachedBytes = 0;
  }

  return { read, close };
}
