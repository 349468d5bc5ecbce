import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { verifyChecksums } from "../../../stores/sqlite/store-damage.ts";
import { blockSumsFile, checkBlocks } from "../duckdb/block-sums.ts";
import { openDatabase } from "../duckdb/database.ts";
import { databaseFile } from "../duckdb/database-file.ts";
import { checkLog, logSumsFile } from "../duckdb/log-sums.ts";
import { indexPaths } from "./index-file.ts";

/** Opens a temporary copy of the samples. */
export async function checkCopy(dataDir: string): Promise<string | undefined> {
  const copy = mkdtempSync(join(tmpdir(), "svc-doctor-"));
  try {
    verifyChecksums(indexPaths(dataDir));
    const samples = databaseFile(dataDir);
    for (const file of [samples, `${samples}.wal`, logSumsFile(dataDir), blockSumsFile(dataDir)])
      if (existsSync(file)) copyFileSync(file, join(copy, basename(file)));
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
