import { createHash, type Hash } from "node:crypto";
import { closeSync, copyFileSync, existsSync, mkdtempSync, openSync, readdirSync, readSync } from "node:fs";
import { rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqlite } from "../../stores/sqlite/sqlite.ts";
import { relationalPaths } from "../../stores/sqlite/store-damage.ts";
import { journalDir } from "../../traces/journal/segments.ts";

/**
 * A temporary folder with copies of a data folder's tables and a link to its journal. Changes to the copy do not affect the data folder.
 */
export type SourceCopy = {
  dataDir: string;
  relational: ReturnType<typeof openSqlite>;
  close: () => Promise<void>;
};

const READ_BYTES = 1024 * 1024;
const TABLES = /^(relational\.db(-wal)?|(traces|samples|analytics)\..*)$/;

/** Copies the tables of a locked data folder, and applies this version's migrations to the copy. */
export function copySource(dataDir: string): SourceCopy {
  const copy = mkdtempSync(join(tmpdir(), "svc-migrate-"));
  const remove = () => rmSync(copy, { recursive: true, force: true });
  try {
    for (const { name } of readdirSync(dataDir, { withFileTypes: true }).filter((entry) => entry.isFile()))
      if (TABLES.test(name)) copyFileSync(join(dataDir, name), join(copy, name));
    if (existsSync(journalDir(dataDir))) symlinkSync(journalDir(dataDir), journalDir(copy));
    const relational = openSqlite(copy);
    return { dataDir: copy, relational, close: () => relational.close().finally(remove) };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Returns a digest that changes when the relational store or the journal of a locked data folder changes. */
export function contentIdOf(dataDir: string): string {
  const hash = createHash("sha256");
  const { database, wal } = relationalPaths(dataDir);
  for (const path of [database, wal]) if (existsSync(path)) addFile(hash, path);
  const journal = journalDir(dataDir);
  for (const name of existsSync(journal) ? readdirSync(journal).sort() : []) {
    const { size, mtimeMs } = statSync(join(journal, name));
    hash.update(`\n${name} ${size} ${mtimeMs}`);
  }
  return hash.digest("hex");
}

function addFile(hash: Hash, path: string): void {
  const file = openSync(path, "r");
  try {
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    for (let length; (length = readSync(file, buffer)) > 0;) hash.update(buffer.subarray(0, length));
  } finally {
    closeSync(file);
  }
}
