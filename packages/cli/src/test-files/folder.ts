import { randomBytes } from "node:crypto";
import type { Dirent } from "node:fs";
import { lstat, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { LIMITS } from "@svc/contract/constants";
import { usage } from "../refusal.ts";
import { readFault } from "../terminal/file-fault.ts";
import { InvalidFile, lineOf, readTestFile, type TestDocument } from "./test-file.ts";

const LARGEST_BYTES = 1024 * 1024;
const NAME_CHARACTERS = 60;

export type TestFile = { path: string; text: string; test: TestDocument };

export type FileProblem = { path: string; line: number; fault: string };

export type Skipped = { path: string; reason: string };

export type FolderContent = {
  /** Folder of the path; for the path of a file, the folder that contains the file. */
  folder: string;
  files: TestFile[];
  problems: FileProblem[];
  skipped: Skipped[];
};

const NONE_HERE = "Name a folder with tests, or create one with `svc tests pull`.";

/** Reads the tests in a Markdown file, or in all Markdown files of a folder and its subfolders. */
export async function readFolder(path: string): Promise<FolderContent> {
  const found: Found = { markdown: [], others: [], skipped: [] };
  const status = await lstat(path).catch(refuseUnreadable(path));
  // A link that the user names is followed. Links inside a folder are not, because they may lead out of the folder or form a cycle.
  const isFile = status.isFile() || (status.isSymbolicLink() && path.endsWith(".md"));
  if (!isFile) await collect(path, found);
  else if (path.endsWith(".md")) found.markdown.push(path);
  else throw usage(`${path} is no Markdown file. Rename it so that its name ends in .md, or name a folder with tests.`);
  if (found.markdown.length > LIMITS.importedTests) {
    const count = `${found.markdown.length} Markdown files, more than the ${LIMITS.importedTests} tests that one push may have`;
    throw usage(`${path} holds ${count}. Name a folder inside it, for example one for each suite.`);
  }
  const content = await readEach(found.markdown.map((file) => ({ path: file, text: () => readText(file) })));
  if (found.others.length > 0) found.skipped.push({ path, reason: othersText(found.others) });
  return { folder: isFile ? dirname(path) : path, ...content, skipped: found.skipped };
}

export async function readEach(
  all: readonly { path: string; text: () => string | Promise<string> }[],
): Promise<Pick<FolderContent, "files" | "problems">> {
  const files: TestFile[] = [];
  const problems: FileProblem[] = [];
  for (const { path, text: read } of all) {
    try {
      const text = await read();
      files.push({ path, text, test: readTestFile(text) });
    } catch (error) {
      if (!(error instanceof InvalidFile)) throw error;
      problems.push({ path, line: error.line, fault: error.message });
    }
  }
  return { files, problems: [...problems, ...duplicateProblems(files)] };
}

/** Throws for a folder without Markdown files. */
export async function readTests(path: string): Promise<FolderContent> {
  const content = await readFolder(path);
  if (content.files.length + content.problems.length > 0) return content;
  const skipped = content.skipped.length > 0 ? ` Skipped: ${skippedText(content.skipped)}.` : "";
  throw usage(`${path} holds no Markdown file.${skipped} ${NONE_HERE}`);
}

const SKIPPED_SHOWN = 20;

export function skippedText(skipped: readonly Skipped[]): string {
  const more = skipped.length - SKIPPED_SHOWN;
  const shown = skipped.slice(0, SKIPPED_SHOWN).map(({ path, reason }) => `${path} (${reason})`);
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}

const OTHERS_SHOWN = 3;

function othersText(paths: readonly string[]): string {
  const names = paths.slice(0, OTHERS_SHOWN).map((path) => basename(path));
  const more = paths.length > OTHERS_SHOWN ? ", …" : "";
  const subject = paths.length === 1 ? "1 file whose name does" : `${paths.length} files whose names do`;
  return `${subject} not end in .md: ${names.join(", ")}${more}`;
}

type Found = { markdown: string[]; others: string[]; skipped: Skipped[] };

async function collect(folder: string, found: Found): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(refuseUnreadable(folder));
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    const reason = reasonToSkip(entry);
    if (reason !== undefined) found.skipped.push({ path, reason });
    else if (entry.isDirectory()) {
      // The folders `.git` and `.svc` contain no tests, and nobody expects a report about them.
      if (entry.name !== ".git" && entry.name !== ".svc") await collect(path, found);
    } else if (entry.name.endsWith(".md")) found.markdown.push(path);
    else found.others.push(path);
  }
}

function reasonToSkip(entry: Dirent): string | undefined {
  const { name } = entry;
  if (entry.isSymbolicLink()) return "a symbolic link";
  if (entry.isDirectory()) {
    if (name === "node_modules") return "installed packages";
    return name.startsWith(".") && name !== ".git" && name !== ".svc" ? "a hidden folder" : undefined;
  }
  if (!entry.isFile()) return "not a regular file";
  return name.toLowerCase() === "readme.md" ? "a readme" : undefined;
}

const refuseUnreadable = (path: string) => (error: NodeJS.ErrnoException) => {
  throw usage(`${path} ${readFault(error)}. ${NONE_HERE}`);
};

function duplicateProblems(files: readonly TestFile[]): FileProblem[] {
  const first = new Map<string, string>();
  return files.flatMap(({ path, text, test }) => {
    const name = test.name.trim();
    const other = first.get(name);
    first.set(name, other ?? path);
    const fault = `has the same name "${name}" as ${other}: choose another name`;
    return other === undefined ? [] : [{ path, line: lineOf(text, ["name"]), fault }];
  });
}

export async function readText(path: string): Promise<string> {
  const file = await open(path, "r").catch((error: NodeJS.ErrnoException) => {
    throw new InvalidFile(readFault(error));
  });
  try {
    if ((await file.stat()).size > LARGEST_BYTES) throw new InvalidFile("is larger than 1 MiB");
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(await file.readFile());
  } catch (error) {
    if (error instanceof TypeError) throw new InvalidFile("is not UTF-8 text");
    throw error;
  } finally {
    await file.close();
  }
}

export async function createFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw usage(`${folder} cannot be created (${error.code}). Name a folder that you can write to.`);
  });
}

/** Writes a file in one step, with a rename, so that no reader sees an incomplete text. */
export async function writeText(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    await mkdir(dirname(path), { recursive: true });
    const file = await open(temporary, "wx");
    try {
      await file.writeFile(text);
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw usage(
      `${path} cannot be written (${(error as NodeJS.ErrnoException).code}). Name a folder that you can write to.`,
    );
  }
}

export const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

export async function writeNew(path: string, text: string): Promise<void> {
  if (await exists(path)) throw usage(`${path} exists. Edit that file, or name another one.`);
  await writeText(path, text);
}

/** The names in `taken` must be in lower case. */
export function fileNameOf(name: string, taken: ReadonlySet<string>): string {
  const words = name
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? ["test"];
  const slug = [...words.join("-")].slice(0, NAME_CHARACTERS).join("").replace(/-+$/, "");
  for (let n = 1; ; n++) {
    const candidate = `${slug}${n === 1 ? "" : `-${n}`}.md`;
    if (!taken.has(candidate) && candidate !== "readme.md") return candidate;
  }
}
