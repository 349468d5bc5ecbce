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
