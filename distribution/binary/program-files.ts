import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { constants, zstdCompressSync } from "node:zlib";
import type { ProgramFile } from "./private-files.ts";

const compressed = join(import.meta.dirname, "../../build/compressed");
const ZSTD_LEVEL = 19;

/** Returns the given files, and all files below the given folders, by their path in the program's folder. */
export function filesBelow(folders: Record<string, string>): Map<string, string> {
  const files = Object.entries(folders).flatMap(([target, folder]) =>
    statSync(folder).isFile()
      ? [[target, folder] as const]
      : readdirSync(folder, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
          .map((entry) => join(entry.parentPath, entry.name))
          .map((file) => [`${target}/${relative(folder, file).replaceAll(sep, "/")}`, file] as const),
  );
  return new Map(files.sort(([one], [other]) => (one < other ? -1 : 1)));
}

const sha256 = (content: Uint8Array) => createHash("sha256").update(content).digest("hex");

/** Describes a file by its path in the program's folder, its size and its digest. */
export function programFile(path: string, file: string): ProgramFile {
  const content = readFileSync(file);
  return { path, size: content.length, sha256: sha256(content) };
}

/** Returns a file with the compressed content. An earlier build may already have written the file. */
export function compressedFile(file: string): string {
  const content = readFileSync(file);
  const target = join(compressed, `${sha256(content)}.zst`);
  if (existsSync(target)) return target;
  mkdirSync(compressed, { recursive: true });
  const params = { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL };
  writeFileSync(target, zstdCompressSync(content, { params }));
  return target;
}
