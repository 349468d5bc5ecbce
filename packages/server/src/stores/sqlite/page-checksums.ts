import { readFileSync } from "node:fs";
import { crc32 } from "node:zlib";
import type { WalChange, WalPosition } from "./wal.ts";

/** The CRC-32 of each page of the relational store, as of the last acknowledged transaction. */
export type PageChecksums = {
  pageSize: number;
  pageCount: number;
  /** The index is the page number minus one. 0 for a page that was never written. */
  pages: Uint32Array;
};

export type StoredChecksums = PageChecksums & {
  /** Highest number of acknowledged frames, by the salt of the write-ahead log. The log gets a new salt each time it restarts. */
  acknowledged: Map<bigint, number>;
  end: number;
  /** Whether the file contains bytes that are not an entry. Either an append was interrupted, or the file is damaged. */
  isTorn: boolean;
};

const SNAPSHOT = 0x31535653; // "SVS1"
const SNAPSHOT_HEADER_BYTES = 24;
const ENTRY = 0x31455653; // "SVE1"
const ENTRY_HEADER_BYTES = 32;
const CRC_BYTES = 4;

export function applyChange(
  checksums: PageChecksums,
  { pageSize, pageCount, pages }: Omit<WalChange, "salt" | "frame">,
) {
  checksums.pageSize = pageSize;
  if (pageCount > checksums.pages.length) {
    const larger = new Uint32Array(Math.max(pageCount, checksums.pages.length * 2, 1024));
    larger.set(checksums.pages);
    checksums.pages = larger;
  }
  if (pageCount < checksums.pageCount) checksums.pages.fill(0, pageCount, checksums.pageCount);
  checksums.pageCount = pageCount;
  for (const [page, crc] of pages) if (page <= pageCount) checksums.pages[page - 1] = crc;
}

export function encodeSnapshot({ pageSize, pageCount, pages }: PageChecksums, { salt, frame }: WalPosition): Buffer {
  const bytes = Buffer.allocUnsafe(SNAPSHOT_HEADER_BYTES + pageCount * 4 + CRC_BYTES);
  bytes.writeUInt32LE(SNAPSHOT, 0);
  bytes.writeUInt32LE(pageSize, 4);
  bytes.writeUInt32LE(pageCount, 8);
  bytes.writeBigUInt64LE(salt, 12);
  bytes.writeUInt32LE(frame, 20);
  for (let page = 0; page < pageCount; page++) bytes.writeUInt32LE(pages[page]!, SNAPSHOT_HEADER_BYTES + page * 4);
  return sealed(bytes);
}

export function encodeEntry({ salt, frame, pageSize, pageCount, pages }: WalChange): Buffer {
  const bytes = Buffer.allocUnsafe(ENTRY_HEADER_BYTES + pages.size * 8 + CRC_BYTES);
  bytes.writeUInt32LE(ENTRY, 0);
  bytes.writeUInt32LE(bytes.length, 4);
  bytes.writeBigUInt64LE(salt, 8);
  bytes.writeUInt32LE(frame, 16);
  bytes.writeUInt32LE(pageSize, 20);
  bytes.writeUInt32LE(pageCount, 24);
  bytes.writeUInt32LE(pages.size, 28);
  let at = ENTRY_HEADER_BYTES;
  for (const [page, crc] of pages) {
    bytes.writeUInt32LE(page, at);
    bytes.writeUInt32LE(crc, at + 4);
    at += 8;
  }
  return sealed(bytes);
}

/** Returns the checksums in a file; undefined if it has no intact snapshot. Skips bytes that are not an entry. */
export function readPageChecksums(path: string): StoredChecksums | undefined {
  const file = readFileSync(path);
  const checksums = readSnapshot(file);
  if (checksums === undefined) return undefined;
  for (let at = checksums.end; at < file.length;) {
    const length = entryLength(file, at);
    if (length === undefined) {
      checksums.isTorn = true;
      at++;
      continue;
    }
    const change = decodeEntry(file, at);
    applyChange(checksums, change);
    checksums.acknowledged.set(change.salt, change.frame);
    at += length;
    checksums.end = at;
  }
  return checksums;
}

function readSnapshot(file: Buffer): StoredChecksums | undefined {
  if (file.length < SNAPSHOT_HEADER_BYTES + CRC_BYTES || file.readUInt32LE(0) !== SNAPSHOT) return undefined;
  const pageCount = file.readUInt32LE(8);
  const end = SNAPSHOT_HEADER_BYTES + pageCount * 4 + CRC_BYTES;
  if (!isSealed(file, 0, end)) return undefined;
  const pages = new Uint32Array(pageCount);
  for (let page = 0; page < pageCount; page++) pages[page] = file.readUInt32LE(SNAPSHOT_HEADER_BYTES + page * 4);
  const acknowledged = new Map([[file.readBigUInt64LE(12), file.readUInt32LE(20)]]);
  return { pageSize: file.readUInt32LE(4), pageCount, pages, acknowledged, end, isTorn: false };
}

/** Returns the length of the intact entry at `at`; undefined if there is none. */
function entryLength(file: Buffer, at: number): number | undefined {
  if (at + ENTRY_HEADER_BYTES + CRC_BYTES > file.length || file.readUInt32LE(at) !== ENTRY) return undefined;
  const length = file.readUInt32LE(at + 4);
  if (length !== ENTRY_HEADER_BYTES + file.readUInt32LE(at + 28) * 8 + CRC_BYTES) return undefined;
  return isSealed(file, at, length) ? length : undefined;
}

function decodeEntry(file: Buffer, at: number): WalChange {
  const pages = new Map<number, number>();
  const pairs = at + ENTRY_HEADER_BYTES;
  const end = pairs + file.readUInt32LE(at + 28) * 8;
  for (let pair = pairs; pair < end; pair += 8) pages.set(file.readUInt32LE(pair), file.readUInt32LE(pair + 4));
  return {
    salt: file.readBigUInt64LE(at + 8),
    frame: file.readUInt32LE(at + 16),
    pageSize: file.readUInt32LE(at + 20),
    pageCount: file.readUInt32LE(at + 24),
    pages,
  };
}

/** Writes a CRC-32 into the last four bytes, over all bytes before them. */
function sealed(bytes: Buffer): Buffer {
  bytes.writeUInt32LE(crc32(bytes.subarray(0, -CRC_BYTES)), bytes.length - CRC_BYTES);
  return bytes;
}

const isSealed = (file: Buffer, at: number, length: number) =>
  at + length <= file.length &&
  crc32(file.subarray(at, at + length - CRC_BYTES)) === file.readUInt32LE(at + length - CRC_BYTES);
