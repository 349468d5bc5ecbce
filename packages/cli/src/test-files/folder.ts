import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { usage } from "../refusal.ts";
import { InvalidFile, readTestFile, type TestDocument } from "./test-file.ts";

const LARGEST_BYTES = 1024 * 1024;
const MOST_FILES = 500;
const NAME_CHARACTERS = 60;

/** A Markdown file and the test in it. */
export type TestFile = { path: string; text: string; test: TestDocument };

/** Why a file is not a valid test. */
export type FileProblem = { path: string; fault: string };

export type FolderContent = { files: TestFile[]; problems: FileProblem[] };

/** Reads the tests in the folder's Markdown files, and the problems of files that are not valid tests. */
export async function readFolder(folder: string): Promise<FolderContent> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    throw usage(
      `${folder} cannot be read (${error.code}). Name a folder with tests, or create one with \`svc tests pull\`.`,
    );
  });
  const names = entries.filter((entry) => entry.isFile() && entry.name.endsWith(".md") && entry.name !== "README.md");
  if (names.length > MOST_FILES)
    throw usage(
      `${folder} holds more than ${MOST_FILES} tests. Split it into several folders, for example one for each suite.`,
    );
  const files: TestFile[] = [];
  const problems: FileProblem[] = [];
  for (const { name } of names.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, name);
    try {
      const text = await readText(path);
      files.push({ path, text, test: readTestFile(text) });
    } catch (error) {
      if (!(error instanceof InvalidFile)) throw error;
      problems.push({ path, fault: error.message });
    }
  }
  return { files, problems: [...problems, ...duplicateProblems(files)] };
}

/** Reads the folder as `readFolder` does; refuses a folder without Markdown files. */
export async function readTests(folder: string): Promise<FolderContent> {
  const content = await readFolder(folder);
  if (content.files.length + content.problems.length > 0) return content;
  throw usage(`${folder} holds no Markdown file. Name a folder with tests, or create one with \`svc tests pull\`.`);
}

/** Returns a problem for each file whose test has the name or the id of an earlier file's test. */
function duplicateProblems(files: readonly TestFile[]): FileProblem[] {
  const first = new Map<string, string>();
  return files.flatMap(({ path, test }) =>
    [`name ${test.name}`, ...(test.id === undefined ? [] : [`id ${test.id}`])].flatMap((key) => {
      const other = first.get(key);
      first.set(key, other ?? path);
      return other === undefined ? [] : [{ path, fault: `has the same ${key} as ${other}` }];
    }),
  );
}

async function readText(path: string): Promise<string> {
  const file = await open(path, "r");
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

/** Creates the folder if it does not exist. */
export async function createFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw usage(`${folder} cannot be created (${error.code}). Name a folder that you can write to.`);
  });
}

/** Replaces the file in one step, so that a reader never sees a half-written text. */
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

/** Returns a file name for a test that differs from the names in `taken`, which are in lower case. */
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
