import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { blockSumsFile } from "../duckdb/block-sums.ts";
import { databaseFile } from "../duckdb/database-file.ts";
import { logSumsFile } from "../duckdb/log-sums.ts";
import { indexPaths } from "./index-file.ts";

const DAMAGED = /^((?:traces|samples)\.damaged-[\dTZ.-]+\.(?:db|duckdb))(?:-wal|\.wal)?$/;
/** The files of versions that had one database for everything. */
const FORMER = /^analytics\./;
/** Number of damaged files to keep, two of each database, to analyze the damage. The journal has all their data. */
const DAMAGED_MAX = 4;

/** Oldest first. */
export const damagedFiles = (dataDir: string): string[] =>
  [...new Set(readdirSync(dataDir).flatMap((name) => DAMAGED.exec(name)?.[1] ?? []))].sort(
    (one, other) => timeIn(one).localeCompare(timeIn(other)) || one.localeCompare(other),
  );

const timeIn = (name: string) => name.slice(name.indexOf("-"));

/** Removes the oldest renamed databases. */
export function setAside(dataDir: string): void {
  const suffix = `damaged-${new Date().toISOString().replaceAll(":", "-")}`;
  const index = indexPaths(dataDir);
  const samples = databaseFile(dataDir);
  rename(index.database, join(dataDir, `traces.${suffix}.db`));
  rename(index.wal, join(dataDir, `traces.${suffix}.db-wal`));
  rename(samples, join(dataDir, `samples.${suffix}.duckdb`));
  rename(`${samples}.wal`, join(dataDir, `samples.${suffix}.duckdb.wal`));
  for (const file of besideDatabases(dataDir)) rmSync(file, { force: true });
  for (const name of damagedFiles(dataDir).slice(0, -DAMAGED_MAX))
    for (const log of ["", "-wal", ".wal"]) rmSync(join(dataDir, name + log), { force: true });
}

function rename(from: string, to: string): void {
  if (existsSync(from)) renameSync(from, to);
}

export function removeDatabases(dataDir: string): void {
  const index = indexPaths(dataDir);
  const samples = databaseFile(dataDir);
  const databases = [index.database, index.wal, samples, `${samples}.wal`];
  for (const file of [...databases, ...besideDatabases(dataDir)]) rmSync(file, { force: true });
}

/** Returns the paths of the files that are useless without the databases. */
function besideDatabases(dataDir: string): string[] {
  const { walIndex, checksums } = indexPaths(dataDir);
  return [walIndex, checksums, logSumsFile(dataDir), blockSumsFile(dataDir)];
}

/** Call it once the present files contain all data of the former files. */
export function removeFormerFiles(dataDir: string): void {
  for (const name of readdirSync(dataDir))
    if (FORMER.test(name)) rmSync(join(dataDir, name), { recursive: true, force: true });
}
