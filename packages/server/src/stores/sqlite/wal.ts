import { readSync } from "node:fs";
import { endianness } from "node:os";
import { crc32 } from "node:zlib";

/** Position in the write-ahead log: the log's current salt, and the number of frames before the position. */
export type WalPosition = { salt: bigint; frame: number };

/** The pages that transactions changed, with the CRC-32 of their latest content, and the position after the last transaction. */
export type WalChange = WalPosition & { pageSize: number; pageCount: number; pages: Map<number, number> };

export type WalFollower = {
  /** Returns the changes of the transactions that were committed since the last call; undefined if there are none. */
  read: () => WalChange | undefined;
  position: () => WalPosition;
};

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682; // the last bit is 1 if checksums read big-endian words
const VERSION = 3_007_000;
const FRAMES_READ = 64;
const IS_BIG_ENDIAN = endianness() === "BE";
const INDEX_HEADER_BYTES = 48;

type Sum = readonly [number, number];
type Header = { salt: bigint; pageSize: number; bigEndian: boolean; sum: Sum };

/**
 * Returns the changes of all transactions in the file `relational.db-wal`; undefined if there are none. Accepts the same frames as
 * SQLite's recovery: each frame has the salt of the log's header and a checksum over this and all earlier frames. Ignores a damaged
 * frame and all frames after it.
 */
export function readWal(file: number): WalChange | undefined {
  const header = readHeader(file);
  if (header === undefined) return undefined;
  const frameBytes = FRAME_HEADER_BYTES + header.pageSize;
  const pages = new Map<number, number>();
  const uncommitted = new Map<number, number>();
  const bytes = Buffer.allocUnsafeSlow(FRAMES_READ * frameBytes);
  let change: WalChange | undefined;
  let sum = header.sum;
  for (let frame = 0; ;) {
    const length = readSync(file, bytes, 0, bytes.length, HEADER_BYTES + frame * frameBytes);
    for (let at = 0; at + frameBytes <= length; at += frameBytes) {
      const page = bytes.readUInt32BE(at);
      if (page === 0 || bytes.readBigUInt64BE(at + 8) !== header.salt) return change;
      sum = checksum(bytes, at, 8, header.bigEndian, sum);
      sum = checksum(bytes, at + FRAME_HEADER_BYTES, header.pageSize, header.bigEndian, sum);
      if (!isStored(bytes, at + 16, sum)) return change;
      frame++;
      uncommitted.set(page, crc32(bytes.subarray(at + FRAME_HEADER_BYTES, at + frameBytes)));
      const pageCount = bytes.readUInt32BE(at + 4);
      if (pageCount === 0) continue;
      for (const [changed, crc] of uncommitted) pages.set(changed, crc);
      uncommitted.clear();
      change = { salt: header.salt, frame, pageSize: header.pageSize, pageCount, pages };
    }
    if (length < bytes.length) return change;
  }
}

/**
 * Creates a follower of a write-ahead log to which an engine writes. The header of the engine's index file, `relational.db-shm`,
 * contains the number of the last transaction's last frame.
 */
export function createWalFollower(file: number, index: number): WalFollower {
  const header = Buffer.alloc(2 * INDEX_HEADER_BYTES);
  const words = new Uint32Array(header.buffer, header.byteOffset, header.length / 4);
  let bytes = Buffer.alloc(0);
  let salt = 0n;
  let frame = 0;

  function read(): WalChange | undefined {
    const length = readSync(index, header, 0, header.length, 0);
    // The index has two copies of its header. They differ while another process is writing.
    if (length < header.length || header.compare(header, INDEX_HEADER_BYTES, undefined, 0, INDEX_HEADER_BYTES) !== 0) {
      return undefined;
    }
    const [last, pageCount] = [words[4]!, words[5]!];
    const present = header.readBigUInt64BE(32);
    if (present !== salt || last < frame) frame = 0;
    salt = present;
    if (last === frame) return undefined;
    const sizeWord = words[3]! >>> 16;
    const pageSize = sizeWord === 1 ? 65_536 : sizeWord;
    const pages = readFrames(frame, last, pageSize);
    frame = last;
    return { salt, frame, pageSize, pageCount, pages };
  }

  function readFrames(first: number, end: number, pageSize: number): Map<number, number> {
    const frameBytes = FRAME_HEADER_BYTES + pageSize;
    if (bytes.length < FRAMES_READ * frameBytes) bytes = Buffer.allocUnsafeSlow(FRAMES_READ * frameBytes);
    const pages = new Map<number, number>();
    for (let next = first; next < end; next += FRAMES_READ) {
      const wanted = Math.min(FRAMES_READ, end - next) * frameBytes;
      const length = readSync(file, bytes, 0, wanted, HEADER_BYTES + next * frameBytes);
      if (length < wanted) throw new Error("the write-ahead log is shorter than its index says");
      for (let at = 0; at < wanted; at += frameBytes) {
        pages.set(bytes.readUInt32BE(at), crc32(bytes.subarray(at + FRAME_HEADER_BYTES, at + frameBytes)));
      }
    }
    return pages;
  }

  return { read, position: () => ({ salt, frame }) };
}

function readHeader(file: number): Header | undefined {
  const bytes = Buffer.allocUnsafeSlow(HEADER_BYTES);
  if (readSync(file, bytes, 0, HEADER_BYTES, 0) < HEADER_BYTES) return undefined;
  const magic = bytes.readUInt32BE(0);
  const pageSize = bytes.readUInt32BE(8);
  const isPageSize = pageSize >= 512 && pageSize <= 65_536 && (pageSize & (pageSize - 1)) === 0;
  if ((magic & ~1) !== MAGIC || bytes.readUInt32BE(4) !== VERSION || !isPageSize) return undefined;
  const bigEndian = (magic & 1) === 1;
  const sum = checksum(bytes, 0, HEADER_BYTES - 8, bigEndian, [0, 0]);
  if (!isStored(bytes, HEADER_BYTES - 8, sum)) return undefined;
  return { salt: bytes.readBigUInt64BE(16), pageSize, bigEndian, sum };
}

const isStored = (bytes: Buffer, at: number, [first, second]: Sum) =>
  bytes.readInt32BE(at) === first && bytes.readInt32BE(at + 4) === second;

/** Continues SQLite's checksum `sum` over the bytes. `at` must be a multiple of 4, `length` of 8. */
function checksum(bytes: Buffer, at: number, length: number, bigEndian: boolean, sum: Sum): Sum {
  if (bigEndian !== IS_BIG_ENDIAN) {
    const swapped = Buffer.allocUnsafeSlow(length);
    bytes.copy(swapped, 0, at, at + length);
    return checksum(swapped.swap32(), 0, length, !bigEndian, sum);
  }
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + at, length / 4);
  let [first, second] = sum;
  for (let word = 0; word < words.length; word += 2) {
    first = (first + words[word]! + second) | 0;
    second = (second + words[word + 1]! + first) | 0;
  }
  return [first, second];
}
