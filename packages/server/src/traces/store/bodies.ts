import { closeSync, openSync, readSync } from "node:fs";
import { AppError } from "../../errors.ts";
import { HEADER_BYTES, type JournalRecord, lengthIn, recordIn } from "../journal/record.ts";
import { segmentPath } from "../journal/segments.ts";
import { decodeRecord } from "../otlp/decode-record.ts";
import { type Place, SpanBatch } from "../span-batch.ts";
import { type BodySpans, spansOfBody } from "./body-spans.ts";

const FILES_MAX = 64;
const CACHED_BYTES_MAX = 16 * 1024 * 1024;

export type Bodies = {
  /** The spans of the body that lies there, by trace and span id; undefined when it cannot be read any more. */
  read: (place: Place) => BodySpans | undefined;
  /** Lets go of files, before segments are removed. */
  close: () => void;
};

/** Reads request bodies back from the journal. The ones read lately stay decoded, for one body holds many traces. */
export function openBodies(dir: string): Bodies {
  const files = new Map<number, number>();
  const decoded = new Map<string, BodySpans>();
  let cachedBytes = 0;

  function read(place: Place): BodySpans | undefined {
    const key = `${place.segment} ${place.position}`;
    const known = decoded.get(key);
    if (known !== undefined) return known;
    const record = recordAt(place);
    if (record === undefined) return undefined;
    const spans = spansIn(record);
    if (spans === undefined) return undefined;
    if (cachedBytes + spans.bytes > CACHED_BYTES_MAX) {
      decoded.clear();
      cachedBytes = 0;
    }
    decoded.set(key, spans);
    cachedBytes += spans.bytes;
    return spans;
  }

  /** A body whose text is beyond all bounds was taken by its index, and is not read whole. */
  function spansIn(record: JournalRecord): BodySpans | undefined {
    const batch = new SpanBatch(256, 256 << 10);
    try {
      decodeRecord(record, batch, { index: false });
      return spansOfBody(batch);
    } catch (error) {
      if (error instanceof AppError) return undefined;
      throw error;
    }
  }

  function recordAt({ segment, position }: Place) {
    const file = fileOf(segment);
    if (file === undefined) return undefined;
    const header = Buffer.alloc(HEADER_BYTES);
    readSync(file, header, 0, HEADER_BYTES, position);
    const length = lengthIn(header);
    if (length === undefined) return undefined;
    const bytes = Buffer.allocUnsafe(HEADER_BYTES + length);
    return readSync(file, bytes, 0, bytes.length, position) === bytes.length ? recordIn(bytes) : undefined;
  }

  function fileOf(segment: number): number | undefined {
    const open = files.get(segment);
    if (open !== undefined) return open;
    if (files.size >= FILES_MAX) close();
    try {
      const file = openSync(segmentPath(dir, segment), "r");
      files.set(segment, file);
      return file;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  function close(): void {
    for (const file of files.values()) closeSync(file);
    files.clear();
  }

  return { read, close };
}
