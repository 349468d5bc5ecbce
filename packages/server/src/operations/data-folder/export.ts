import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createConditions } from "../../base/conditions.ts";
import { readConfig } from "../../base/config/config.ts";
import { openExports } from "../exports/open.ts";
import { fileOf } from "../exports/rules.ts";
import { listProjects } from "../exports/store.ts";
import { openContext } from "../../context.ts";
import { createLog } from "../../base/log/log.ts";
import { isLocked } from "../../stores/folder/data-dir-lock.ts";
import { openTraces } from "../../traces/open.ts";
import { FolderRefusal, type Progress, requireFinishedFolder } from "./refusal.ts";

export type FolderExport = { folder: string; files: number };

/**
 * Writes the tables of every project of a stopped service as Parquet files: `target/<project>/<file>.parquet`. Throws when a service uses
 * the folder. Upgrades a data folder of an earlier version first, like a start of the service.
 */
export async function exportDataFolder(
  dataDir: string,
  target: string,
  environment: Record<string, string | undefined>,
  progress: Progress,
): Promise<FolderExport> {
  requireFinishedFolder(dataDir);
  if (!existsSync(join(dataDir, "relational.db")))
    throw new FolderRefusal("no_data_folder", `${dataDir} is not a data folder. Name it with --data-dir.`);
  if (isLocked(dataDir)) {
    const remedy = "Export through the service, without --data-dir, or stop it.";
    throw new FolderRefusal("folder_in_use", `A service runs on ${dataDir}. ${remedy}`);
  }
  if (existsSync(target) && readdirSync(target).length > 0)
    throw new FolderRefusal("target_not_empty", `${target} is not empty. Name a new folder for the export.`);
  const log = createLog("silent");
  const config = { ...readConfig({ ...environment, SVC_DATA_DIR: dataDir }), databases: undefined };
  const conditions = createConditions(log);
  progress("Opening the data folder");
  const traces = await openTraces(config, log, conditions);
  try {
    const context = await openContext(config, log, conditions);
    try {
      await traces.intake.drain();
      const exports = openExports(dataDir, context.db, traces);
      let files = 0;
      for (const project of await listProjects(context.db)) {
        const folder = join(target, project.id);
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        for (const { name } of await exports.list(project)) {
          progress(`Writing ${project.id}: ${name}`);
          await exports.write(project, fileOf(name)!, join(folder, `${name}.parquet`));
          files++;
        }
      }
      return { folder: target, files };
    } finally {
      await context.close();
    }
  } finally {
    await traces.close();
  }
}
