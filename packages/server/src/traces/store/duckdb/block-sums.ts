import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { databaseFile } from "./database-file.ts";

/**
 * Checksums of the blocks in the database file, stronger than DuckDB's own. DuckDB's checksum, the first word of each block, is the
 * XOR of the other words. It does not change when an even number of equal words turn into zeros, or when words change places. A
 * header has few small numbers, so two different headers can have the same DuckDB checksum. Therefore the checksums of headers are
 * computed again each time.
 */
type BlockSums = {
  /** Adds the checksums of blocks that DuckDB has written. Returns false if `sliceMs` ended before all blocks were examined. */
  add: (sliceMs: number) => boolean;
  close: () => void;
};

/** Number of headers at the start of the database file. Each header begins with its DuckDB checksum. */
const HEADERS = 3;
const HEADER_BYTES = 4096;
const BLOCK_BYTES = 256 * 1024;
const SUM_BYTES = 8;
/** Bytes of an entry: DuckDB's checksum of the block, the service's checksum of the block, and the checksum of the entry itself. */
const ENTRY_BYTES = 16;

export const blockSumsFile = (dataDir: string) => join(dataDir, "samples.blocks");

export function openBlockSums(dataDir: string): BlockSums {
  const sums = openSync(blockSumsFile(dataDir), constants.O_RDWR | constants.O_CREAT, 0o600);
  const buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  let entries = readWhole(sums);
  let headers: number | undefined;
  let next = 0;

  return {
    add: (sliceMs) =>
      withDatabase(dataDir, (file, blocks) => {
        // DuckDB writes a new header at the end of each checkpoint.
        const now = crc32(readFrom(file, buffer, HEADER_BYTES, 2 * HEADER_BYTES));
        if (now !== headers) next = 0;
        headers = now;
        const endMs = performance.now() + sliceMs;
        for (; next < blocks; next++) {
          if (performance.now() > endMs) return false;
          const { position, bytes } = placeOf(next);
          const known = entries.subarray(next * ENTRY_BYTES, next * ENTRY_BYTES + SUM_BYTES);
          if (next >= HEADERS && readFrom(file, buffer, position, SUM_BYTES).equals(known)) continue;
          const entry = entryOf(readFrom(file, buffer, position, bytes));
          if (entries.length < (next + 1) * ENTRY_BYTES) entries = Buffer.concat([entries], blocks * ENTRY_BYTES);
          entry.copy(entries, next * ENTRY_BYTES);
          writeSync(sums, entry, 0, ENTRY_BYTES, next * ENTRY_BYTES);
        }
        return true;
      }) ?? true,
    close: () => closeSync(sums),
  };
}

/**
 * Checks each block that has not changed since its checksum was computed, and yields its number of bytes. Throws if a block
 * differs. DuckDB may write other blocks at the same time.
 */
export function* checkBlocks(dataDir: string): Generator<number> {
  const entries = readSums(dataDir);
  if (entries.length === 0) return;
  const file = openSync(databaseFile(dataDir), "r");
  const buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  try {
    const blocks = Math.min(blocksIn(file), Math.floor(entries.length / ENTRY_BYTES));
    for (let block = 0; block < blocks; block++) {
      const entry = entries.subarray(block * ENTRY_BYTES, (block + 1) * ENTRY_BYTES);
      if (crc32(entry.subarray(0, 12)) !== entry.readUInt32LE(12)) continue;
      const { position, bytes } = placeOf(block);
      const differs = () => {
        const now = entryOf(readFrom(file, buffer, position, bytes));
        return now.subarray(0, SUM_BYTES).equals(entry.subarray(0, SUM_BYTES)) && !now.equals(entry);
      };
      // Reads a block that differs a second time, because DuckDB may have been writing the block during the first read.
      if (differs() && differs())
        throw new Error(`Corrupt database file: its ${bytes} bytes from ${position} differ from their sum.`);
      yield bytes;
    }
  } finally {
    closeSync(file);
  }
}

function entryOf(block: Buffer): Buffer {
  const entry = Buffer.alloc(ENTRY_BYTES);
  block.copy(entry, 0, 0, SUM_BYTES);
  entry.writeUInt32LE(crc32(block), SUM_BYTES);
  entry.writeUInt32LE(crc32(entry.subarray(0, 12)), 12);
  return entry;
}

const placeOf = (block: number): { position: number; bytes: number } =>
  block < HEADERS
    ? { position: block * HEADER_BYTES, bytes: HEADER_BYTES }
    : { position: HEADERS * HEADER_BYTES + (block - HEADERS) * BLOCK_BYTES, bytes: BLOCK_BYTES };

function blocksIn(file: number): number {
  const rest = fstatSync(file).size - HEADERS * HEADER_BYTES;
  return rest < 0 ? 0 : HEADERS + Math.floor(rest / BLOCK_BYTES);
}

function withDatabase<T>(dataDir: string, work: (file: number, blocks: number) => T): T | undefined {
  const file = openOrNone(databaseFile(dataDir));
  if (file === undefined) return undefined;
  try {
    return work(file, blocksIn(file));
  } finally {
    closeSync(file);
  }
}

function readSums(dataDir: string): Buffer {
  const file = openOrNone(blockSumsFile(dataDir));
  if (file === undefined) return Buffer.alloc(0);
  try {
    return readWhole(file);
  } finally {
    closeSync(file);
  }
}

function openOrNone(path: string): number | undefined {
  try {
    return openSync(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

const readWhole = (file: number): Buffer => {
  const { size } = fstatSync(file);
  return Buffer.from(readFrom(file, Buffer.allocUnsafe(size), 0, size));
};

const readFrom = (file: number, into: Buffer, position: number, bytes: number): Buffer =>
  into.subarray(0, readSync(file, into, 0, bytes, position));
