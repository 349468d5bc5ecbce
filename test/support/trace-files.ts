import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Removes the index of traces and the samples from a data folder: the next start makes them again from the journal. */
export function removeTraceTables(dataDir: string): void {
  for (const name of readdirSync(dataDir))
    if (/^(traces|samples)\./.test(name)) rmSync(join(dataDir, name), { recursive: true });
}
