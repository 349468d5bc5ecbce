import { unfinishedProblem } from "../../stores/folder/unfinished-folder.ts";

/** The error for a data folder or database that cannot be worked on. Its message says what to do next. */
export class FolderRefusal extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = "FolderRefusal";
    this.code = code;
  }
}

/** Receives one line about the current step. */
export type Progress = (text: string) => void;

/** Refuses a folder that contains only a part of the databases. */
export function requireFinishedFolder(dataDir: string): void {
  const problem = unfinishedProblem(dataDir);
  if (problem !== undefined) throw new FolderRefusal("folder_unfinished", problem);
}
