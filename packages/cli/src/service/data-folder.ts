import { Flags } from "@oclif/core";
import type * as Folders from "@svc/server/data-folder";
import { EXIT, Refusal } from "../refusal.ts";
import { loadService } from "./service-packages.ts";

export type { DatabaseCopy, FolderMove } from "@svc/server/data-folder";

const DEFAULT_FOLDER = "./svc-data";

/** Commands with this flag work directly on the data folder, so the user needs access to the folder. */
export const dataDirFlag = {
  "data-dir": Flags.string({ description: "Data folder. Default: SVC_DATA_DIR, else ./svc-data." }),
};

export const dataDirOf = (flag: string | undefined): string => flag ?? process.env.SVC_DATA_DIR ?? DEFAULT_FOLDER;

/** Converts errors of data folders to refusals of the command line. */
export async function onDataFolder<T>(work: (folders: typeof Folders) => T | Promise<T>): Promise<T> {
  const folders = await loadService(() => import("@svc/server/data-folder"));
  try {
    return await work(folders);
  } catch (error) {
    if (error instanceof folders.FolderRefusal) throw new Refusal(error.code, error.message);
    const code = (error as NodeJS.ErrnoException).code;
    if (typeof code === "string" && /^E[A-Z]+$/.test(code)) {
      throw new Refusal(
        "disk_failed",
        `${(error as Error).message}. Free space, or correct the permissions.`,
        EXIT.refused,
      );
    }
    throw error;
  }
}
