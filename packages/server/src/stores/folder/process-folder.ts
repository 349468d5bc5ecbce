import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../../base/config/config.ts";
import { lockDataDir } from "./data-dir-lock.ts";

/** The folder for the files of one process, which another one must not use. */
type ProcessFolder = { path: string; close: () => void };

/** A data folder may be at the same place; its files stay apart. */
export const processFolderIn = (dataDir: string): string => join(dataDir, "process");

/** Opens the folder of a process with databases: a place that survives a restart when a setting names it, else a temporary one. */
export function openProcessFolder({ dataDir, databases }: Config): ProcessFolder {
  if (databases?.hasFolder === true) {
    const path = processFolderIn(dataDir);
    return { path, close: lockDataDir(path) };
  }
  const path = mkdtempSync(join(tmpdir(), "svc-"));
  return { path, close: () => rmSync(path, { recursive: true, force: true }) };
}
