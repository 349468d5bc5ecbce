import { unfinishedProblem } from "../../stores/folder/unfinished-folder.ts";

/** Error for a data folder or database that a command cannot work on. Its message says what to do next. */
export class FolderRefusal extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = "FolderRefusal";
    this.code = code;
  }
}

/** Callback for a line of text about the current step. */
export type Progress = (text: string) => void;

/** Throws when the folder contains only a part of the databases from which it is made. */
export function requireFinishedFolder(dataDir: string): void {
  const problem = unfinishedProblem(dataDir);
  if (problem !== undefined) throw new FolderRefusal("folder_unfinished", problem);
}
