import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { syncPath } from "../../base/sync-path.ts";

/** The file that marks a data folder into which databases are being copied. */
const MARKER = "unfinished-move";
/** Names of the files and folders that a copy of databases creates in the data folder. */
const CONTENT =
  /^((relational|traces|samples|analytics)\.|journal$|journal-damage\.|recordings$|encryption-key|auth-secret)/;

/** Returns whether the folder contains only a part of the databases. */
export const isUnfinished = (dataDir: string): boolean => existsSync(join(dataDir, MARKER));

/** Marks a locked folder as unfinished, so that no service uses it. */
export function markUnfinished(dataDir: string): void {
  writeFileSync(join(dataDir, MARKER), "", { flush: true });
  syncPath(dataDir);
}

/** Removes the files and folders that an interrupted copy wrote. */
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

/** Returns why no service may use the folder yet, and what to do; undefined if the folder is complete. */
export const unfinishedProblem = (dataDir: string): string | undefined =>
  isUnfinished(dataDir)
    ? `${dataDir} holds a part of the databases: repeat \`svc migrate --to folder\` until it ends without a difference, or name another folder.`
    : undefined;

/** Throws if the folder contains only a part of the databases. */
export function requireFinished(dataDir: string): void {
  const problem = unfinishedProblem(dataDir);
  if (problem !== undefined) throw new Error(problem);
}
