import { closeSync, openSync } from "node:fs";
import { AppError } from "../../base/errors.ts";
import { isErased, type JournalRecord } from "../journal/record.ts";
import { segmentPath } from "../journal/segments.ts";
import { readRecordAt, remainingOf } from "../journal/stored-record.ts";
import { createSpanFinder } from "../otlp/body-messages.ts";
import { createDecoder } from "../otlp/decoder.ts";
import { createSpanMessageParser } from "../otlp/parse-message.ts";
import { type RecordAddress, SpanBatch } from "../span-batch.ts";
import { type BodyMessages, type BodySpans, messagesOf, spansOfBody } from "./body-spans.ts";
import { createSpanParser, jsonBytesOf } from "./span-row.ts";

const FILES_MAX = 64;
const CACHED_BYTES_MAX = 16 * 1024 * 1024;
/** A batch that grew beyond this size for a large body is replaced by a new batch. */
const BATCH_BYTES_MAX = 8 * 1024 * 1024;
const EMPTY = { rows: 0, heapUsed: 0, lastLsn: 0, origins: 0 };

/** Undefined if the body is missing or damaged. */
type ReadBody<Body> = (address: RecordAddress) => Body | undefined;

export type BodyReader<Body> = {
  read: ReadBody<Body>;
  /**
   * Returns a `ReadBody` with its own cache. Reads of other conversations do not drop bodies from that cache. With a shared cache,
   * two conversations in large bodies whose reads alternate would decode their bodies again for every span.
   */
  holding: () => ReadBody<Body>;
  /** Closes the open files and drops their cached bodies. A later `read` opens the files again. Call `close` before segments change. */
  close: () => void;
};

/**
 * The reader caches decoded bodies, because one body has spans of many traces. Calls `onDamaged` with the address of
 * each record that cannot be read.
 */
export function openBodyReader<Body extends { bytes: number }>(
  dir: string,
  onDamaged: (address: RecordAddress) => void,
  decode: (record: JournalRecord) => Body,
): BodyReader<Body> {
  const files = new Map<number, number>();
  const cache = createBodyCache((address) => {
    const record = recordAt(address);
    return record && decoded(record);
  });

  /** Returns undefined if the whole body exceeds the limits of the decoder, although the intake could index it. */
  function decoded(record: JournalRecord): Body | undefined {
    try {
      return decode(record);
    } catch (error) {
      if (error instanceof AppError) return undefined;
      throw error;
    }
  }

  function recordAt(address: RecordAddress): JournalRecord | undefined {
    const file = fileOf(address.segment);
    if (file === undefined) return undefined;
    const stored = readRecordAt(file, address.position);
    const record = remainingOf(dir, address, stored);
    if (record === undefined && !(stored !== undefined && isErased(stored) && stored.erased === "gone"))
      onDamaged(address);
    return record;
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
    cache.forget();
  }

  return { read: cache.read, holding: () => createBodyCache(cache.read).read, close };
}

export function createBodyDecoder(): (record: JournalRecord) => BodySpans {
  const decoder = createDecoder();
  let batch = new SpanBatch();
  return (record) => {
    try {
      decoder.decodeRecord(record, batch);
      return spansOfBody(batch);
    } finally {
      batch.truncate(EMPTY);
      if (batch.bytes > BATCH_BYTES_MAX) batch = new SpanBatch();
    }
  };
}

export function createMessageFinder(): (record: JournalRecord) => BodyMessages {
  const decoder = createDecoder();
  const decodeBody = createBodyDecoder();
  const findSpans = createSpanFinder();
  const parseMessage = createSpanMessageParser();
  const parseRow = createSpanParser();
  return (record) => {
    if (record.encoding !== "json") {
      const body = Buffer.from(decoder.plainBody(record)); // a copy, because the decoder may overwrite the body
      return messagesOf(findSpans(body), body.length, parseMessage);
    }
    const spans = decodeBody(record);
    const rowOf = (row: number) => ({ ...spans.indexRow(row, NOWHERE), ...spans.details(row) });
    return {
      bytes: spans.bytes,
      rowsOf: spans.rowsOf,
      spanIdOf: (row) => spans.indexRow(row, NOWHERE).span_id,
      bytesOf: (row) => jsonBytesOf(spans.details(row)),
      parse: (row) => parseRow(rowOf(row)),
    };
  };
}

const NOWHERE = { segment: 0, position: 0 };

/** The cache contains at most `CACHED_BYTES_MAX` bytes of bodies, or one larger body. */
function createBodyCache<Body extends { bytes: number }>(
  load: ReadBody<Body>,
): { read: ReadBody<Body>; forget: () => void } {
  const bodies = new Map<string, Body>();
  let bytes = 0;

  function forget(): void {
    bodies.clear();
    bytes = 0;
  }

  function read(address: RecordAddress): Body | undefined {
    const key = `${address.segment} ${address.position}`;
    const cached = bodies.get(key);
    if (cached !== undefined) return cached;
    const spans = load(address);
    if (spans === undefined) return undefined;
    if (bytes + spans.bytes > CACHED_BYTES_MAX) forget();
    bodies.set(key, spans);
    bytes += spans.bytes;
    return spans;
  }

  return { read, forget };
}
