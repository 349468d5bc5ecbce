import { readSync } from "node:fs";
import { endianness } from "node:os";
import { crc32 } from "node:zlib";

/** A place in the write-ahead log: the salt of the log's current use, and the number of frames in it. */
export type WalPosition = { salt: bigint; frame: number };

/** The pages that transactions changed, with the CRC-32 of their last content, and the position after the last transaction. */
export type WalChange = WalPosition & { pageSize: number; pageCount: number; pages: Map<number, number> };

export type WalReader = {
  /** Returns the changes of the transactions that were committed since the last call; undefined without one. */
  read: () => WalChange | undefined;
  /** Returns the position after the last transaction that was read. */
  position: () => WalPosition;
};

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682; // the last bit says that checksums read big-endian words
const VERSION = 3_007_000;
const FRAMES_READ_FIRST = 4;
const FRAMES_READ_MAX = 64;

const IS_BIG_ENDIAN = endianness() === "BE";

type Sum = readonly [number, number];
type Header = { salt: bigint; pageSize: number; bigEndian: boolean; sum: Sum };

const NO_HEADER: Header = { salt: 0n, pageSize: 0, bigEndian: false, sum: [0, 0] };

/**
 * Creates a reader of the file `relational.db-wal`. It accepts exactly the frames that SQLite's recovery accepts: a frame
 * carries the salt of the log's header and a checksum over all frames before it, so that a damaged frame ends the log.
 */
export function createWalReader(file: number): WalReader {
  let header = NO_HEADER;
  let frame = 0;
  let sum = header.sum;
  let buffer = Buffer.alloc(0);

  function read(): WalChange | undefined {
    const change = readFrames();
    if (change !== undefined) return change;
    const found = readHeader(file);
    if (found.salt === header.salt) return undefined;
    header = found;
    frame = 0;
    sum = header.sum;
    return header.pageSize === 0 ? undefined : readFrames();
  }

  function readFrames(): WalChange | undefined {
    if (header.pageSize === 0) return undefined;
    const frameBytes = FRAME_HEADER_BYTES + header.pageSize;
    const pages = new Map<number, number>();
    const uncommitted = new Map<number, number>();
    let change: WalChange | undefined;
    let runningSum = sum;
    let next = frame;
    if (buffer.length < FRAMES_READ_MAX * frameBytes) buffer = Buffer.allocUnsafeSlow(FRAMES_READ_MAX * frameBytes);
    for (let count = FRAMES_READ_FIRST; ; count = Math.min(FRAMES_READ_MAX, count * 4)) {
      const length = readSync(file, buffer, 0, count * frameBytes, HEADER_BYTES + next * frameBytes);
      let at = 0;
      for (; at + frameBytes <= length; at += frameBytes) {
        const page = buffer.readUInt32BE(at);
        if (page === 0 || buffer.readBigUInt64BE(at + 8) !== header.salt) return change;
        runningSum = checksum(buffer, at, 8, header.bigEndian, runningSum);
        runningSum = checksum(buffer, at + FRAME_HEADER_BYTES, header.pageSize, header.bigEndian, runningSum);
        if (!isStored(buffer, at + 16, runningSum)) return change;
        next++;
        uncommitted.set(page, crc32(buffer.subarray(at + FRAME_HEADER_BYTES, at + frameBytes)));
        const pageCount = buffer.readUInt32BE(at + 4);
        if (pageCount === 0) continue;
        for (const [changed, crc] of uncommitted) pages.set(changed, crc);
        uncommitted.clear();
        frame = next;
        sum = runningSum;
        change = { salt: header.salt, frame, pageSize: header.pageSize, pageCount, pages };
      }
      if (length < count * frameBytes) return change;
    }
  }

  return { read, position: () => ({ salt: header.salt, frame }) };
}

/** Returns the header of the log; one with page size 0 when the log is empty or its header is damaged. */
function readHeader(file: number): Header {
  const bytes = Buffer.allocUnsafeSlow(HEADER_BYTES);
  if (readSync(file, bytes, 0, HEADER_BYTES, 0) < HEADER_BYTES) return NO_HEADER;
  const magic = bytes.readUInt32BE(0);
  const pageSize = bytes.readUInt32BE(8);
  const isPageSize = pageSize >= 512 && pageSize <= 65_536 && (pageSize & (pageSize - 1)) === 0;
  if ((magic & ~1) !== MAGIC || bytes.readUInt32BE(4) !== VERSION || !isPageSize) return NO_HEADER;
  const bigEndian = (magic & 1) === 1;
  const sum = checksum(bytes, 0, HEADER_BYTES - 8, bigEndian, [0, 0]);
  if (!isStored(bytes, HEADER_BYTES - 8, sum)) return NO_HEADER;
  return { salt: bytes.readBigUInt64BE(16), pageSize, bigEndian, sum };
}

const isStored = (bytes: Buffer, at: number, [first, second]: Sum) =>
  bytes.readInt32BE(at) === first && bytes.readInt32BE(at + 4) === second;

/** Returns SQLite's checksum of the bytes, which continues `sum`; `at` and `length` are multiples of 4 and 8. */
function checksum(bytes: Buffer, at: number, length: number, bigEndian: boolean, sum: Sum): Sum {
  if (bigEndian !== IS_BIG_ENDIAN) {
    const swapped = Buffer.allocUnsafeSlow(length);
    bytes.copy(swapped, 0, at, at + length);
    return checksum(swapped.swap32(), 0, length, !bigEndian, sum);
  }
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + at, length / 4);
  let [first, second] = sum;
  for (let word = 0; word < words.length; word += 2) {
    first = (((first + words[word]!) | 0) + second) | 0;
    second = (((second + words[word + 1]!) | 0) + first) | 0;
  }
  return [first, second];
}
