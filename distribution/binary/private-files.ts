import { createHash, hash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  writeFileSync,
  readFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { threadId } from "node:worker_threads";

/** A file of the executable's program: its path in the folder, its size and the SHA-256 of its content. */
export type ProgramFile = { path: string; size: number; sha256: string };

type Environment = Record<string, string | undefined>;

const READ_BYTES = 256 * 1024;

/** Returns the first of the folders that only this user can write, and creates it if necessary. Throws if there is none. */
export function openPrivateFolder(folders: readonly string[]): string {
  const findings: string[] = [];
  for (const folder of folders) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      chmodSync(folder, 0o700);
      const finding = writableByOthers(folder);
      if (finding === undefined) return realpathSync(folder);
      findings.push(finding);
    } catch (error) {
      findings.push((error as Error).message);
    }
  }
  throw new Error(
    `svc finds no private folder to unpack itself (${findings.join("; ")}). Set SVC_CACHE_DIR to a folder that only you can write.`,
  );
}

/**
 * Returns the candidate folders for `id`: below SVC_CACHE_DIR if it is set, else below the user's cache folder and the folder for
 * temporary files.
 */
export function cacheFolders(environment: Environment, id: string): string[] {
  if (environment.SVC_CACHE_DIR) return [join(environment.SVC_CACHE_DIR, id)];
  const temporary = join(tmpdir(), `svc-${process.getuid?.() ?? "cache"}`, id);
  try {
    return [join(userCache(environment), "svc", id), temporary];
  } catch {
    return [temporary]; // the user has no home folder
  }
}

function userCache(environment: Environment): string {
  if (process.platform === "win32") return environment.LOCALAPPDATA || join(homedir(), "AppData", "Local");
  if (process.platform === "darwin") return join(homedir(), "Library", "Caches");
  return environment.XDG_CACHE_HOME || join(homedir(), ".cache");
}

/** Returns a sentence about a part of the path that another user can change, or undefined. User folders on Windows are private. */
function writableByOthers(folder: string): string | undefined {
  const user = process.getuid?.();
  if (user === undefined) return undefined;
  for (let path = realpathSync(folder); ; path = dirname(path)) {
    const { uid, gid, mode } = lstatSync(path);
    const isSticky = (mode & 0o1000) !== 0;
    const isOwnGroup = gid === uid; // this user is the only member of the group
    const isShared = (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && !isOwnGroup);
    if ((uid !== user && uid !== 0) || (isShared && !isSticky)) return `another user can change ${path}`;
    if (path === dirname(path)) return undefined;
  }
}

/** Writes a file of the program into the private folder, unless it exists with the same content. Returns its path. */
export function placeFile(folder: string, file: ProgramFile, content: () => Uint8Array): string {
  const path = join(folder, file.path);
  if (isIntact(path, file)) return path;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const written = `${path}.${process.pid}.${threadId}.new`; // two threads may write the file at the same time
  const bytes = content();
  writeFileSync(written, bytes, { mode: 0o600 }); // without a flush, because each start verifies the file
  renameSync(written, path);
  giveBack(bytes);
  if (!isIntact(path, file)) throw new Error(`${path} differs from the file that svc wrote. Check the disk.`);
  return path;
}

/** Frees the memory of a large content at once. The garbage collector would do so only after minutes. */
function giveBack({ buffer, byteLength }: Uint8Array): void {
  if (byteLength > READ_BYTES && buffer instanceof ArrayBuffer) buffer.transfer(0);
}

function isIntact(path: string, { size, sha256 }: ProgramFile): boolean {
  let file: number;
  try {
    const found = lstatSync(path);
    if (!found.isFile() || found.size !== size) return false;
    if (size <= READ_BYTES) return hash("sha256", readFileSync(path)) === sha256;
    file = openSync(path, "r");
  } catch {
    return false;
  }
  try {
    const digest = createHash("sha256");
    const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
    for (let length; (length = readSync(file, buffer)) > 0;) digest.update(buffer.subarray(0, length));
    return digest.digest("hex") === sha256;
  } finally {
    closeSync(file);
  }
}
