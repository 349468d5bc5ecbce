import { chmodSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type Database from "better-sqlite3";

const COPY = /^relational\.before-.+\.db(\.new)?$/;
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * Copies the relational store into a file beside it, before the first new migration. Returns the path of the copy. Throws if the
 * copy cannot be written.
 */
export function copyBeforeUpgrade(engine: Database.Database, dataDir: string, migration: string): string {
  const path = join(dataDir, `relational.before-${migration.replace(/\.sql$/, "")}.db`);
  const written = `${path}.new`;
  try {
    rmSync(written, { force: true });
    engine.prepare("VACUUM INTO ?").run(written);
    chmodSync(written, 0o600);
    renameSync(written, path);
    return path;
  } catch (error) {
    const cause = (error as Error).message;
    throw new Error(
      `The relational store cannot be copied before its upgrade (${cause}). Free space on the disk of ${dataDir}.`,
      { cause: error },
    );
  }
}

/** Removes copies that are older than a week. After a week, people know whether the upgrade works. */
export function removeOldCopies(dataDir: string): void {
  for (const name of readdirSync(dataDir).filter(isUpgradeCopy)) {
    const path = join(dataDir, name);
    if (Date.now() - statSync(path).mtimeMs > KEPT_MS) rmSync(path);
  }
}

export const isUpgradeCopy = (name: string): boolean => COPY.test(name);
