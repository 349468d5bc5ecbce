import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { syncPath } from "../../base/sync-path.ts";

/** The file that marks a data folder into which databases are being copied. */
const MARKER = "unfinished-move";
/** Names of the files and folders that a copy of databases creates in the data folder. */
const CONTENT =
  /^((relational|traces|samples|analytics)\.|journal$|journal-damage\.|recordings$|encryption-key|auth-secret)/;

export const isUnfinished = (dataDir: string): boolean => existsSync(join(dataDir, MARKER));

export function markUnfinished(dataDir: string): void {
  writeFileSync(join(dataDir, MARKER), "", { flush: true });
  syncPath(dataDir);
}

export function removeContent(dataDir: string): void {
  for (const name of readdirSync(dataDir))
    if (CONTENT.test(name)) rmSync(join(dataDir, name), { recursive: true, force: true });
}

/** Syncs the folder, then removes its marker, so that services can use it. */
export function markFinished(dataDir: string): void {
  syncPath(dataDir);
  rmSync(join(dataDir, MARKER));
  syncPath(dataDir);
}

export const unfinishedProblem = (dataDir: string): string | undefined =>
  isUnfinished(dataDir)
    ? `${dataDir} holds a part of the databases: repeat \`svc migrate --to folder\` until it ends without a difference, or name another folder.`
    : undefined;

export function requireFinished(dataDir: string): void {
  const problem = unfinishedProblem(dataDir);
  if (problem !== undefined) throw new Error(problem);
}
