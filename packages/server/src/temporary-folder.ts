import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type TemporaryFolder = { path: string; remove: () => void };

/** Creates a folder of this process for files that may be lost. */
export function createTemporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), "svc-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
