import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openChecksums } from "../../packages/server/src/stores/sqlite/checksums.ts";
import { openSqlite } from "../../packages/server/src/stores/sqlite/sqlite.ts";

const isOfStore = (name: string) => /^(relational|lock)\.db|^relational\./.test(name);

/** Copies the files of a stopped service's relational store into a new folder. */
export function copyStore(dataDir: string): string {
  const copy = mkdtempSync(join(tmpdir(), "svc-store-"));
  for (const name of readdirSync(dataDir).filter(isOfStore)) copyFileSync(join(dataDir, name), join(copy, name));
  return copy;
}

/** Opens the store as the service does, and returns all rows of all tables. Throws the error that a start of the service would throw. */
export async function rowsOfStore(dataDir: string): Promise<Record<string, unknown[]>> {
  const relational = openSqlite(
    dataDir,
    openChecksums(dataDir, (error) => {
      if (error !== undefined) throw error;
    }),
  );
  try {
    const tables = relational.embedded.engine
      .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .pluck()
      .all();
    return Object.fromEntries(
      tables.map((name) => [name, relational.embedded.engine.prepare(`SELECT * FROM "${name}"`).all()]),
    );
  } finally {
    await relational.close();
  }
}

/** Flips one bit of a byte; `place` is the place of the byte in the file, from 0 to 1. */
export function flip(path: string, place: number, bit: number): void {
  const bytes = readFileSync(path);
  bytes[Math.floor(place * bytes.length)]! ^= 1 << bit;
  writeFileSync(path, bytes);
}

/** Returns the files of the store that have bytes. */
export const filledFiles = (dataDir: string): string[] =>
  readdirSync(dataDir)
    .filter((name) => isOfStore(name) && readFileSync(join(dataDir, name)).length > 0)
    .sort();

export const remove = (dataDir: string) => rmSync(dataDir, { recursive: true, force: true });
