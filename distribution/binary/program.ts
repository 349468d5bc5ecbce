import { getRawAsset } from "node:sea";
import { zstdDecompressSync } from "node:zlib";
import { placeFile, type ProgramFile } from "./private-files.ts";

/** The list of the program's files. The executable contains this list too. */
export type Program = {
  id: string;
  entries: string[];
  /** The files that every start verifies. */
  code: ProgramFile[];
  /** The files that only the service reads. */
  data: ProgramFile[];
  libraries: ProgramFile[];
  /** Files of other packages. The code that reads such a file verifies it first. */
  packageFiles: ProgramFile[];
};

export const LIST = "program.json";

/** Returns the list of files inside this executable. */
export const readProgram = (): Program => JSON.parse(Buffer.from(getRawAsset(LIST)).toString()) as Program;

/** Unpacks a file of this executable into its private folder. If the file already exists there, only verifies it. Returns its path. */
export const unpack = (folder: string, file: ProgramFile): string =>
  placeFile(folder, file, () => zstdDecompressSync(Buffer.from(getRawAsset(file.path)), { chunkSize: chunkOf(file) }));

/** Returns a chunk size that fits the whole content, so that a large file is in memory only once. */
const chunkOf = ({ size }: ProgramFile): number => Math.max(size, 64);
