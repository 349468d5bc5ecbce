import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkBlocks } from "./block-sums.ts";
import { openDatabase } from "./database.ts";
import { checkLog } from "./log-sums.ts";

/** Returns why the trace store of a stopped service does not open; undefined when it does. Works on a temporary copy. */
export async function checkCopy(dataDir: string): Promise<string | undefined> {
  const copy = mkdtempSync(join(tmpdir(), "svc-doctor-"));
  try {
    for (const name of ["analytics.duckdb", "analytics.duckdb.wal", "analytics.sums", "analytics.blocks"]) {
      if (existsSync(join(dataDir, name))) copyFileSync(join(dataDir, name), join(copy, name));
    }
    checkLog(copy);
    for (const _ of checkBlocks(copy));
    const database = await openDatabase(copy, 256);
    database.close();
    return undefined;
  } catch (error) {
    return (error as Error).message.split("\n", 1)[0];
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
