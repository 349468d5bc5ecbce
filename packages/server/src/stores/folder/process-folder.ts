import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../../base/config/config.ts";
import { lockDataDir } from "./data-dir-lock.ts";

/** The folder with the files of one process. No other process may use it. */
type ProcessFolder = { path: string; close: () => void };

/** The process folder is a subfolder, so that its files are separate from the files of a data folder. */
export const processFolderIn = (dataDir: string): string => join(dataDir, "process");

/**
 * Opens the folder for the files of this process. A folder that a setting names survives a restart. Without the setting, the folder is
 * temporary.
 */
export function openProcessFolder({ dataDir, databases }: Config): ProcessFolder {
  if (databases?.hasFolder === true) {
    const path = processFolderIn(dataDir);
    return { path, close: lockDataDir(path) };
  }
  const path = mkdtempSync(join(tmpdir(), "svc-"));
  return { path, close: () => rmSync(path, { recursive: true, force: true }) };
}
