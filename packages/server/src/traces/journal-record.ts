import { crc32 } from "node:zlib";

export type JournalRecord = {
  lsn: number;
  project: number;
  receivedMs: number;
  encoding: "protobuf" | "json";
  gzip: boolean;
  /** The body as it was received. */
  chunks: readonly Buffer[];
};

const MAGIC = 0x314a_5653; // "SVJ1"
const GZIP = 1;
const JSON_BODY = 2;

// magic, crc32 of all that follows, body length, project, lsn, receivedMs, flags
export const HEADER_BYTES = 40;
const CHECKED_FROM = 8;

export const bodyBytes = (chunks: readonly Buffer[]) => chunks.reduce((sum, chunk) => sum + chunk.length, 0);

export function headerOf(record: JournalRecord, length: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(MAGIC, 0);
  header.writeUInt32LE(length, 8);
  header.writeUInt32LE(record.project, 12);
  header.writeDoubleLE(record.lsn, 16);
  header.writeDoubleLE(record.receivedMs, 24);
  header.writeUInt32LE((record.gzip ? GZIP : 0) | (record.encoding === "json" ? JSON_BODY : 0), 32);
  let sum = crc32(header.subarray(CHECKED_FROM));
  for (const chunk of record.chunks) sum = crc32(chunk, sum);
  header.writeUInt32LE(sum, 4);
  return header;
}

/** The records of a segment up to the first that is torn or spoilt. */
export function* recordsIn(segment: Buffer): Generator<JournalRecord> {
  let at = 0;
  while (at + HEADER_BYTES <= segment.length && segment.readUInt32LE(at) === MAGIC) {
    const end = at + HEADER_BYTES + segment.readUInt32LE(at + 8);
    if (end > segment.length) return;
    if (crc32(segment.subarray(at + CHECKED_FROM, end)) !== segment.readUInt32LE(at + 4)) return;
    const flags = segment.readUInt32LE(at + 32);
    yield {
      project: segment.readUInt32LE(at + 12),
      lsn: segment.readDoubleLE(at + 16),
      receivedMs: segment.readDoubleLE(at + 24),
      gzip: (flags & GZIP) !== 0,
      encoding: (flags & JSON_BODY) !== 0 ? "json" : "protobuf",
      chunks: [segment.subarray(at + HEADER_BYTES, end)],
    };
    at = end;
  }
}
