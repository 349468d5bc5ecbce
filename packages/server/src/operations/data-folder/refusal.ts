import { unfinishedProblem } from "../../stores/folder/unfinished-folder.ts";

/** A refusal of work on a data folder; its message says what to do next. */
export class FolderRefusal extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = "FolderRefusal";
    this.code = code;
  }
}

/** Receives one line about the work under way. */
export type Progress = (text: string) => void;

/** Refuses a folder into which databases were moved in part. */
export function requireFinishedFolder(dataDir: string): void {
  const problem = unfinishedProblem(dataDir);
  if (problem !== undefined) throw new FolderRefusal("folder_unfinished", problem);
}
