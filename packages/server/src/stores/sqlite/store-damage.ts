import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { applyChange, type PageChecksums, type StoredChecksums } from "./page-checksums.ts";
import { readPageChecksums } from "./page-checksums.ts";
import { readWal, type WalChange } from "./wal.ts";

export const sqlitePaths = (dataDir: string, name: string) => ({
  database: join(dataDir, `${name}.db`),
  wal: join(dataDir, `${name}.db-wal`),
  walIndex: join(dataDir, `${name}.db-shm`),
  checksums: join(dataDir, `${name}.checksums`),
});

export const relationalPaths = (dataDir: string) => sqlitePaths(dataDir, "relational");

export type SqlitePaths = ReturnType<typeof sqlitePaths>;

const READ_BYTES = 1024 * 1024;
const PAGE_SIZE_OFFSET = 16;

/**
 * Compares the pages of the relational store with the stored checksums. Returns the stored checksums; undefined if the folder has
 * none. Throws if a page differs from its state after the last acknowledged transaction.
 */
export function verifyChecksums(paths: SqlitePaths): StoredChecksums | undefined {
  const { database, wal, checksums } = paths;
  if (!existsSync(checksums)) return undefined;
  const stored = readPageChecksums(checksums);
  if (stored === undefined) throw damaged(paths, checksums, `nothing else proves that ${database} is unchanged`);
  const log = readLog(wal);
  const acknowledged = (log && stored.acknowledged.get(log.salt)) ?? 0;
  // If the log contains the last acknowledged frame, all pages in the log are intact, because the checksum of a frame covers all
  // earlier frames.
  const isLogWhole = log !== undefined && log.frame >= acknowledged;
  const pageCount = isLogWhole ? Math.min(log.pageCount, stored.pageCount) : stored.pageCount;
  const pages = readPages(database, stored.pageSize, pageCount);
  for (const [page, crc] of log?.pages ?? []) if (page <= pageCount) pages[page - 1] = crc;
  let wrong = 0;
  for (let page = 1; page <= pageCount; page++) {
    const expected = stored.pages[page - 1]!;
    const isProven = expected === 0 || (isLogWhole && log.pages.has(page));
    if (!isProven && pages[page - 1] !== expected) wrong++;
  }
  if (wrong === 0) return stored;
  if (!isLogWhole && existsSync(wal) && statSync(wal).size > 0) {
    throw damaged(paths, wal, "changes that the service acknowledged are missing from it");
  }
  if (stored.isTorn) throw damaged(paths, checksums, `it does not fit ${wrong} pages of ${database}`);
  throw damaged(paths, database, `${wrong} of its ${pageCount} pages differ from what the service wrote`);
}

/** Computes the checksums of the pages as SQLite would read them from these files. */
export function scanChecksums({ database, wal }: SqlitePaths): PageChecksums {
  const pageSize = pageSizeOf(database);
  const pageCount = pageSize === 0 ? 0 : Math.floor(statSync(database).size / pageSize);
  const checksums = { pageSize, pageCount, pages: readPages(database, pageSize, pageCount) };
  const log = readLog(wal);
  if (log !== undefined) applyChange(checksums, log);
  return checksums;
}

/** Error for a damaged relational store, on which the service does not start. */
export class StoreDamage extends Error {
  readonly finding: string;
  readonly remedy: string;

  constructor(finding: string, remedy: string) {
    super(`${finding} ${remedy}`);
    this.name = "StoreDamage";
    this.finding = finding;
    this.remedy = remedy;
  }
}

export function damaged({ database, checksums }: SqlitePaths, file: string, finding: string): StoreDamage {
  const accept = `To go on with ${database} in its present state, remove ${checksums} and start the service.`;
  return new StoreDamage(
    `The file ${file} is damaged: ${finding}.`,
    `Restore a backup with \`svc restore BACKUP --replace\`. ${accept}`,
  );
}

function readLog(path: string): WalChange | undefined {
  if (!existsSync(path)) return undefined;
  const file = openSync(path, "r");
  try {
    return readWal(file);
  } finally {
    closeSync(file);
  }
}

function pageSizeOf(path: string): number {
  if (!existsSync(path) || statSync(path).size === 0) return 0;
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(2);
    readSync(file, bytes, 0, 2, PAGE_SIZE_OFFSET);
    const stored = bytes.readUInt16BE();
    return stored === 1 ? 65_536 : stored;
  } finally {
    closeSync(file);
  }
}

/** Returns the CRC-32 of the first `count` pages; 0 for a page that is not completely in the file. */
function readPages(path: string, pageSize: number, count: number): Uint32Array {
  const pages = new Uint32Array(count);
  if (count === 0 || !existsSync(path)) return pages;
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.allocUnsafeSlow(READ_BYTES);
    for (let page = 0; page < count;) {
      const length = readSync(file, bytes, 0, READ_BYTES, page * pageSize);
      if (length < pageSize) break;
      for (let at = 0; at + pageSize <= length && page < count; at += pageSize, page++) {
        pages[page] = crc32(bytes.subarray(at, at + pageSize));
      }
    }
  } finally {
    closeSync(file);
  }
  return pages;
}
