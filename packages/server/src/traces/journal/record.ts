import { crc32 } from "node:zlib";
import type { ContentEncoding } from "../../http/decompress.ts";

export type JournalRecord = {
  lsn: number;
  project: number;
  receivedMs: number;
  encoding: "protobuf" | "json";
  /** The `Content-Encoding` of the body; `unknown` in a record that a newer version wrote. */
  compression: ContentEncoding | "unknown";
  chunks: readonly Buffer[];
};

/** A record whose body is erased. `moved`: the remaining part of the body is in a file beside the segment. `gone`: nothing remains. */
export type ErasedRecord = JournalRecord & { erased: "gone" | "moved" };

export const MAGIC = Buffer.from("SVJ1");
const GZIP = 1;
const JSON_BODY = 2;
const ERASED = 4;
const MOVED = 8;
/** Flag of a record whose erased body is all zeros. Without this flag, a crash may have left bytes of the body. */
const CLEARED = 16;
const DEFLATE = 32;
const ZSTD = 64;
const KNOWN = GZIP | JSON_BODY | ERASED | MOVED | CLEARED | DEFLATE | ZSTD;
const COMPRESSIONS = { identity: 0, gzip: GZIP, deflate: DEFLATE, zstd: ZSTD } as const;

// magic, crc32 of everything after it, body length, project, lsn, receivedMs, flags
export const HEADER_BYTES = 40;
const CHECKED_FROM = 8;
const FLAGS_AT = 32;

export const bodyBytes = (chunks: readonly Buffer[]) => chunks.reduce((sum, chunk) => sum + chunk.length, 0);

export function headerOf(record: JournalRecord, length: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(header);
  header.writeUInt32LE(length, 8);
  header.writeUInt32LE(record.project, 12);
  header.writeDoubleLE(record.lsn, 16);
  header.writeDoubleLE(record.receivedMs, 24);
  header.writeUInt32LE(flagsOf(record), FLAGS_AT);
  let sum = crc32(header.subarray(CHECKED_FROM));
  for (const chunk of record.chunks) sum = crc32(chunk, sum);
  header.writeUInt32LE(sum, 4);
  return header;
}

function flagsOf({ compression, encoding, lsn }: JournalRecord): number {
  if (compression === "unknown") throw new Error(`record ${lsn} has an unknown encoding and cannot be written`);
  return COMPRESSIONS[compression] | (encoding === "json" ? JSON_BODY : 0);
}

function compressionIn(flags: number): JournalRecord["compression"] {
  if ((flags & ~KNOWN) !== 0) return "unknown";
  const names = Object.keys(COMPRESSIONS) as ContentEncoding[];
  return names.find((name) => COMPRESSIONS[name] === (flags & (GZIP | DEFLATE | ZSTD))) ?? "unknown";
}

export const lengthIn = (header: Buffer): number | undefined =>
  header.length >= HEADER_BYTES && header.subarray(0, MAGIC.length).equals(MAGIC) ? header.readUInt32LE(8) : undefined;

export const isCleared = (header: Buffer): boolean => (header.readUInt32LE(FLAGS_AT) & CLEARED) !== 0;

/** The checksum of the new header is over the header alone, so the record stays valid while its body is overwritten. */
export function erasedHeaderOf(header: Buffer, { moved, cleared }: { moved: boolean; cleared: boolean }): Buffer {
  const erased = Buffer.from(header.subarray(0, HEADER_BYTES));
  const flags = header.readUInt32LE(FLAGS_AT) & (GZIP | DEFLATE | ZSTD | JSON_BODY);
  erased.writeUInt32LE(flags | ERASED | (moved ? MOVED : 0) | (cleared ? CLEARED : 0), FLAGS_AT);
  erased.writeUInt32LE(crc32(erased.subarray(CHECKED_FROM)), 4);
  return erased;
}

export const lsnIn = (header: Buffer): number => header.readDoubleLE(16);

/** Returns the record at the start of `bytes`; undefined when the record is incomplete or damaged. */
export function recordIn(bytes: Buffer): JournalRecord | ErasedRecord | undefined {
  const length = lengthIn(bytes);
  if (length === undefined || HEADER_BYTES + length > bytes.length) return undefined;
  const end = HEADER_BYTES + length;
  const flags = bytes.readUInt32LE(FLAGS_AT);
  const isErased = (flags & ERASED) !== 0;
  if (crc32(bytes.subarray(CHECKED_FROM, isErased ? HEADER_BYTES : end)) !== bytes.readUInt32LE(4)) return undefined;
  const record: JournalRecord = {
    project: bytes.readUInt32LE(12),
    lsn: bytes.readDoubleLE(16),
    receivedMs: bytes.readDoubleLE(24),
    compression: compressionIn(flags),
    encoding: (flags & JSON_BODY) !== 0 ? "json" : "protobuf",
    chunks: isErased ? [] : [bytes.subarray(HEADER_BYTES, end)],
  };
  return isErased ? { ...record, erased: (flags & MOVED) !== 0 ? "moved" : "gone" } : record;
}

export const isErased = (record: JournalRecord | ErasedRecord): record is ErasedRecord => "erased" in record;
