import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { databaseFile } from "./database-file.ts";

/**
 * Sums of the blocks in the database file. DuckDB's own sum, the first word of each block, combines the other words by XOR,
 * so that it misses an even number of equal words that turn into zeros together, and words that change places. The few small numbers of
 * a header do so by chance from one checkpoint to a later one, so that the sums of headers are taken again each time.
 */
type BlockSums = {
  /** Adds the sums of the blocks that DuckDB has written; returns false when blocks are left after `sliceMs`. */
  add: (sliceMs: number) => boolean;
  close: () => void;
};

/** The file begins with three headers; a header begins with its sum too. */
const HEADERS = 3;
const HEADER_BYTES = 4096;
const BLOCK_BYTES = 256 * 1024;
const SUM_BYTES = 8;
/** An entry: DuckDB's sum of the block, our sum of the block, and the sum of the entry. */
const ENTRY_BYTES = 16;

export const blockSumsFile = (dataDir: string) => join(dataDir, "samples.blocks");

/** Opens the sums of a database. */
export function openBlockSums(dataDir: string): BlockSums {
  const sums = openSync(blockSumsFile(dataDir), constants.O_RDWR | constants.O_CREAT, 0o600);
  const buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  let entries = readWhole(sums);
  let headers: number | undefined;
  let next = 0;

  return {
    add: (sliceMs) =>
      withDatabase(dataDir, (file, blocks) => {
        // Each checkpoint ends with a new header.
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
 * Compares each block that has not changed since its sum was taken with that sum, and yields the number of bytes after each.
 * Throws when a block differs. DuckDB may write other blocks meanwhile.
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
      // The first look may meet a block that DuckDB is writing.
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
