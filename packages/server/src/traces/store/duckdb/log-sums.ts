import { closeSync, constants, fstatSync, ftruncateSync, openSync, readFileSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { databaseFile } from "./database-file.ts";

/**
 * Checksums of the bytes in the database's log, stronger than DuckDB's own. DuckDB's checksum of a log entry is the XOR of its words,
 * which does not change when an even number of equal words turn into zeros.
 */
type LogSums = {
  /** Adds the checksum of the bytes that were appended to the log since the last call. For a new log, starts a new list of checksums. */
  add: () => void;
  close: () => void;
};

/**
 * Number of bytes at the start of a log that identify the log. They name the database and its checkpoint, and contain DuckDB's
 * checksum of the first entry.
 */
const IDENTITY_BYTES = 64;
/**
 * Bytes of a record: the checksum of the record, the checksum of a range of the log, the checksum of the log's first bytes, and the
 * start and the end of the range.
 */
const RECORD_BYTES = 28;

const logFile = (dataDir: string) => `${databaseFile(dataDir)}.wal`;
export const logSumsFile = (dataDir: string) => join(dataDir, "samples.sums");

/** The stored checksums stay in the file until the log changes. */
export function openLogSums(dataDir: string): LogSums {
  const file = openSync(logSumsFile(dataDir), constants.O_RDWR | constants.O_CREAT, 0o600);
  const opened = stateOf(dataDir);
  let identity: number | undefined;
  let [end, records] = [0, 0];

  return {
    add() {
      const now = stateOf(dataDir);
      // The log may end with an unfinished write. DuckDB removes it before it writes again.
      if (identity === undefined && now?.size === opened?.size && now?.changedMs === opened?.changedMs) return;
      if (now === undefined || now.identity !== identity || now.size < end) {
        ftruncateSync(file);
        identity = now?.identity;
        [end, records] = [0, 0];
      }
      if (now === undefined || now.size === end) return;
      const record = Buffer.alloc(RECORD_BYTES);
      record.writeUInt32LE(crc32(bytesOf(dataDir, end, now.size)), 4);
      record.writeUInt32LE(now.identity, 8);
      record.writeDoubleLE(end, 12);
      record.writeDoubleLE(now.size, 20);
      record.writeUInt32LE(crc32(record.subarray(4)), 0);
      if (writeSync(file, record, 0, RECORD_BYTES, records * RECORD_BYTES) < RECORD_BYTES) return;
      end = now.size;
      records++;
    },
    close: () => closeSync(file),
  };
}

/** Ignores checksums of another log, and of bytes after the log's end. */
export function checkLog(dataDir: string): void {
  const log = readOrEmpty(logFile(dataDir));
  const sums = readOrEmpty(logSumsFile(dataDir));
  if (log.length < IDENTITY_BYTES) return;
  const identity = crc32(log.subarray(0, IDENTITY_BYTES));
  for (let at = 0; at + RECORD_BYTES <= sums.length; at += RECORD_BYTES) {
    const record = sums.subarray(at, at + RECORD_BYTES);
    if (crc32(record.subarray(4)) !== record.readUInt32LE(0) || record.readUInt32LE(8) !== identity) continue;
    const [from, to] = [record.readDoubleLE(12), record.readDoubleLE(20)];
    if (to <= log.length && crc32(log.subarray(from, to)) !== record.readUInt32LE(4))
      throw new Error(`Corrupt WAL file: its bytes from ${from} to ${to} differ from their sum.`);
  }
}

function readOrEmpty(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return Buffer.alloc(0);
    throw error;
  }
}

/** Undefined if the log has no entries. */
function stateOf(dataDir: string): { size: number; changedMs: number; identity: number } | undefined {
  return withLog(dataDir, (file) => {
    const { size, mtimeMs } = fstatSync(file);
    if (size < IDENTITY_BYTES) return undefined;
    return { size, changedMs: mtimeMs, identity: crc32(readFrom(file, 0, IDENTITY_BYTES)) };
  });
}

const bytesOf = (dataDir: string, from: number, to: number): Buffer =>
  withLog(dataDir, (file) => readFrom(file, from, to)) ?? Buffer.alloc(0);

function withLog<T>(dataDir: string, work: (file: number) => T): T | undefined {
  let file: number;
  try {
    file = openSync(logFile(dataDir), "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    return work(file);
  } finally {
    closeSync(file);
  }
}

function readFrom(file: number, from: number, to: number): Buffer {
  const bytes = Buffer.allocUnsafe(to - from);
  return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from));
}
