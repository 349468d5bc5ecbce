import { copyDatabases, type DatabaseCopy } from "./copy-databases.ts";
import { type FolderMove, moveDataFolder } from "./move.ts";
import { FolderRefusal, type Progress } from "./refusal.ts";

export { type Backup, backupDataFolder } from "./backup.ts";
export { checkDataFolder, checkFirstStart, type FolderCheck } from "./check.ts";
export { type CopySource, copyDatabases, type DatabaseCopy } from "./copy-databases.ts";
export { exportDataFolder, type FolderExport } from "./export.ts";
export { type FolderMove, moveDataFolder, type MoveTarget } from "./move.ts";
export { FolderRefusal } from "./refusal.ts";
export { type Restored, restoreDataFolder } from "./restore.ts";

export type Migration = {
  to: "databases" | "folder";
  recordingsTo?: string | undefined;
  recordings?: "copy" | "keep" | undefined;
  recordingsFrom?: string[] | undefined;
};

export function migrate(
  dataDir: string,
  { to, recordingsTo, recordings, recordingsFrom = [] }: Migration,
  environment: Record<string, string | undefined>,
  progress: Progress,
): Promise<FolderMove | DatabaseCopy> {
  const databaseUrl = environment.SVC_DATABASE_URL?.trim();
  const clickHouseUrl = environment.SVC_CLICKHOUSE_URL?.trim();
  if (!databaseUrl || !clickHouseUrl) {
    const message = "Set SVC_DATABASE_URL and SVC_CLICKHOUSE_URL to the addresses of the databases.";
    throw new FolderRefusal("addresses_missing", message);
  }
  const addresses = { databaseUrl, clickHouseUrl };
  if (to === "databases") return moveDataFolder(dataDir, { ...addresses, recordingsTo }, environment, progress);
  const source = { ...addresses, inBucket: recordings, waitingIn: recordingsFrom };
  return copyDatabases(dataDir, source, environment, progress);
}
