import { unfinishedProblem } from "../../stores/folder/unfinished-folder.ts";

/** Error that the person who runs the command can solve. The message says what to do next. */
export class FolderRefusal extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = "FolderRefusal";
    this.code = code;
  }
}

export type Progress = (text: string) => void;

export function requireFinishedFolder(dataDir: string): void {
  const problem = unfinishedProblem(dataDir);
  if (problem !== undefined) throw new FolderRefusal("folder_unfinished", problem);
}
