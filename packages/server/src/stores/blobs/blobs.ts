import { randomUUID } from "node:crypto";
import { createReadStream, mkdirSync, rmSync } from "node:fs";
import { open, readdir, rename, rm } from "node:fs/promises";
import { once } from "node:events";
import { join } from "node:path";
import type { Readable } from "node:stream";

/** The positions of the first and the last byte of a part. */
export type ByteRange = { start: number; end: number };

/** Store of large values that never change. The store chooses the name of each value. */
export type BlobStore = {
  /** Returns the path of a new file, which another process may write. A file that is never passed to `put` is removed at the next start. */
  newFile: () => string;
  /** Moves a finished file with this SHA-256 into the store. Returns the blob's name once the file is durable. */
  put: (file: string, sha256: string) => Promise<string>;
  read: (name: string, range?: ByteRange) => Promise<Readable | undefined>;
  /** Removes blobs. A missing blob is not an error. */
  remove: (names: readonly string[]) => Promise<void>;
  list: () => Promise<string[]>;
};

export type BlobFolder = BlobStore & { pathOf: (name: string) => string };

const INCOMING = "incoming";

/** Creates the store of blobs in a folder. Removes the files that an earlier process did not pass to `put`. */
export function createBlobFolder(folder: string): BlobFolder {
  const incoming = join(folder, INCOMING);
  rmSync(incoming, { recursive: true, force: true });
  mkdirSync(incoming, { recursive: true, mode: 0o700 });
  const pathOf = (name: string) => join(folder, name);

  return {
    pathOf,

    newFile: () => join(incoming, randomUUID()),

    async put(file) {
      await sync(file, "r+");
      const name = randomUUID();
      await rename(file, pathOf(name));
      await sync(folder, "r");
      return name;
    },

    async read(name, range) {
      const stream = createReadStream(pathOf(name), range);
      try {
        await once(stream, "open");
        return stream;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw error;
      }
    },

    async remove(names) {
      for (const name of names) await rm(pathOf(name), { force: true });
    },

    async list() {
      const entries = await readdir(folder, { withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    },
  };
}

async function sync(path: string, flags: "r" | "r+"): Promise<void> {
  const handle = await open(path, flags);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
