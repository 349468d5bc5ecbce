export { type Backup, backupDataFolder } from "./backup.ts";
export { checkDataFolder, type FolderCheck } from "./check.ts";
export { type CopySource, copyDatabases, type DatabaseCopy } from "./copy-databases.ts";
export { exportDataFolder, type FolderExport } from "./export.ts";
export { migrate, type Migration } from "./migrate.ts";
export { type FolderMove, moveDataFolder, type MoveTarget } from "./move.ts";
export { FolderRefusal } from "./refusal.ts";
export { type Restored, restoreDataFolder } from "./restore.ts";
