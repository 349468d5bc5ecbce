import { accessSync, constants, existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

export type FolderProblem = { finding: string; remedy: string };

const ANOTHER = "name another folder with --data-dir or SVC_DATA_DIR";

/** Creates the data folder if it is missing, with access for this user alone. Throws if this user cannot read and write it. */
export function prepareDataFolder(dataDir: string): void {
  const problem = folderProblem(dataDir) ?? createFolders(resolve(dataDir));
  if (problem === undefined) return;
  throw new Error(`The service cannot use the data folder: ${problem.finding}. ${problem.remedy}`);
}

/** Returns why this user cannot use the data folder; undefined if the user can. Changes nothing. */
export function folderProblem(dataDir: string): FolderProblem | undefined {
  const path = resolve(dataDir);
  if (!existsSync(path)) {
    const parent = existingAncestor(path);
    if (!statSync(parent).isDirectory()) return notDirectory(parent);
    return isAllowed(parent) ? undefined : notCreated(path, `this user may not write in ${parent}`);
  }
  if (!statSync(path).isDirectory()) return notDirectory(path);
  const refused = [path, ...entriesOf(path)].find((entry) => !isAllowed(entry));
  if (refused === undefined) return undefined;
  return {
    finding: `this user may not read and write ${refused}`,
    remedy: `Run the service as the owner of the folder, give it to this user with \`chown -R ${userId()} ${path}\`, or ${ANOTHER}.`,
  };
}

/** Creates missing folders one by one. Node's recursive form never returns where nothing can be created, as below /proc. */
function createFolders(path: string): FolderProblem | undefined {
  if (existsSync(path)) return undefined;
  const problem = createFolders(dirname(path));
  if (problem !== undefined) return problem;
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EEXIST") return notCreated(path, String(code));
  }
  return undefined;
}

const notDirectory = (path: string): FolderProblem => ({
  finding: `${path} is a file`,
  remedy: `Remove it, or ${ANOTHER}.`,
});

const notCreated = (path: string, reason: string): FolderProblem => ({
  finding: `${path} cannot be created (${reason})`,
  remedy: `Create it and give it to this user with \`chown ${userId()} ${path}\`, or ${ANOTHER}.`,
});

const userId = (): string => `${process.getuid?.() ?? "USER"}`;

function existingAncestor(path: string): string {
  return existsSync(path) ? path : existingAncestor(dirname(path));
}

/** Returns the paths in a folder; none if the folder cannot be listed, because `isAllowed` already reports such a folder. */
function entriesOf(path: string): string[] {
  try {
    return readdirSync(path).map((name) => join(path, name));
  } catch {
    return [];
  }
}

function isAllowed(path: string): boolean {
  const mode = statSync(path, { throwIfNoEntry: false });
  // Another process may have removed the file since it was listed.
  if (mode === undefined) return true;
  try {
    accessSync(path, constants.R_OK | constants.W_OK | (mode.isDirectory() ? constants.X_OK : 0));
    return true;
  } catch {
    return false;
  }
}
