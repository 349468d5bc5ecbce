import * as fs from "node:fs";
import { promisify } from "node:util";

/** The file system calls of the journal. Specs replace them to make writes fail. */
export type JournalDisk = {
  /** Rejects if the file exists. */
  create: (path: string) => Promise<number>;
  writev: (file: number, buffers: readonly Buffer[], position: number) => Promise<number>;
  datasync: (file: number) => Promise<void>;
  truncate: (file: number, length: number) => Promise<void>;
  close: (file: number) => Promise<void>;
  remove: (path: string) => Promise<void>;
  /** Makes the entries of a directory durable. */
  syncDirectory: (path: string) => Promise<void>;
};

const open = promisify(fs.open);
const fsync = promisify(fs.fsync);
const close = promisify(fs.close);

export const realDisk: JournalDisk = {
  create: (path) => open(path, "wx"),
  writev: (file, buffers, position) =>
    new Promise((resolve, reject) => {
      fs.writev(file, buffers, position, (error, bytes) => (error === null ? resolve(bytes) : reject(error)));
    }),
  datasync: promisify(fs.fdatasync),
  truncate: promisify(fs.ftruncate),
  close,
  remove: promisify(fs.unlink),
  syncDirectory: async (path) => {
    const directory = await open(path, "r");
    try {
      await fsync(directory);
    } finally {
      await close(directory);
    }
  },
};
