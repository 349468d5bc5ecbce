import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { blockSumsFile } from "./block-sums.ts";
import { databaseFile } from "./database-file.ts";
import { logSumsFile } from "./log-sums.ts";

const LOG_SUFFIX = ".wal";
const DAMAGED = /^(analytics\.damaged-[\dTZ.-]+\.duckdb)(\.wal)?$/;
/** The journal has everything that a damaged database had, so that few of them are enough for an analysis. */
const DAMAGED_MAX = 2;

/** Returns the names of the damaged databases in the data directory, oldest first. */
export const damagedDatabases = (dataDir: string): string[] =>
  [...new Set(readdirSync(dataDir).flatMap((name) => DAMAGED.exec(name)?.[1] ?? []))].sort();

/** Renames the database and its log, so that a new one can be created, and removes the oldest of the renamed ones. */
export function setAside(dataDir: string): void {
  const path = databaseFile(dataDir);
  const to = join(dataDir, `analytics.damaged-${new Date().toISOString().replaceAll(":", "-")}.duckdb`);
  for (const suffix of ["", LOG_SUFFIX]) {
    if (existsSync(path + suffix)) renameSync(path + suffix, to + suffix);
  }
  for (const sums of [logSumsFile(dataDir), blockSumsFile(dataDir)]) rmSync(sums, { force: true });
  for (const name of damagedDatabases(dataDir).slice(0, -DAMAGED_MAX)) {
    for (const suffix of ["", LOG_SUFFIX]) rmSync(join(dataDir, name + suffix), { force: true });
  }
}
