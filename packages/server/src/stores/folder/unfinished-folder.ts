import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { syncPath } from "../../base/sync-path.ts";

/** The file in a data folder into which databases are being moved. */
const MARKER = "unfinished-move";
/** The files and folders that a move writes into the folder. */
const CONTENT =
  /^((relational|traces|samples|analytics)\.|journal$|journal-damage\.|recordings$|encryption-key|auth-secret)/;

/** Returns whether the folder holds a part of the databases. */
export const isUnfinished = (dataDir: string): boolean => existsSync(join(dataDir, MARKER));

/** Marks a locked folder as one that no service may use. */
export function markUnfinished(dataDir: string): void {
  writeFileSync(join(dataDir, MARKER), "", { flush: true });
  syncPath(dataDir);
}

/** Removes what an interrupted move wrote. */
export function removeContent(dataDir: string): void {
  for (const name of readdirSync(dataDir))
    if (CONTENT.test(name)) rmSync(join(dataDir, name), { recursive: true, force: true });
}

/** Makes the folder one that a service may use, after everything in it is durable. */
export function markFinished(dataDir: string): void {
  syncPath(dataDir);
  rmSync(join(dataDir, MARKER));
  syncPath(dataDir);
}

/** Returns why nothing may use the folder yet, and the way out; undefined for a folder that is whole. */
export const unfinishedProblem = (dataDir: string): string | undefined =>
  isUnfinished(dataDir)
    ? `${dataDir} holds a part of the databases: repeat \`svc migrate --to folder\` until it ends without a difference, or name another folder.`
    : undefined;

/** Refuses a folder that holds a part of the databases. */
export function requireFinished(dataDir: string): void {
  const problem = unfinishedProblem(dataDir);
  if (problem !== undefined) throw new Error(problem);
}
