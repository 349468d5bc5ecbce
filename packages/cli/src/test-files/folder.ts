import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { usage } from "../refusal.ts";
import { FileFault, readTestFile, type TestFile } from "./test-file.ts";

const LARGEST_BYTES = 1024 * 1024;
const MOST_FILES = 500;
const NAME_CHARACTERS = 60;

/** A file of the folder, with the text that it was read from. */
export type Held = { path: string; text: string; test: TestFile };
export type Fault = { path: string; fault: string };

/** The tests in the folder's Markdown files, and what is wrong with those that hold none. */
export async function readFolder(folder: string): Promise<{ held: Held[]; faults: Fault[] }> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    throw usage(`${folder} cannot be read (${error.code}): name a folder with tests; \`svc tests pull\` makes one.`);
  });
  const names = entries.filter((entry) => entry.isFile() && entry.name.endsWith(".md") && entry.name !== "README.md");
  if (names.length > MOST_FILES)
    throw usage(`${folder} holds more than ${MOST_FILES} tests: push it in several folders, one for each suite.`);
  const held: Held[] = [];
  const faults: Fault[] = [];
  for (const { name } of names.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, name);
    try {
      const text = await readText(path);
      held.push({ path, text, test: readTestFile(text) });
    } catch (error) {
      if (!(error instanceof FileFault)) throw error;
      faults.push({ path, fault: error.message });
    }
  }
  return { held, faults: [...faults, ...repeated(held)] };
}

/** As `readFolder`, of a folder that is meant to hold tests. */
export async function readTests(folder: string): Promise<{ held: Held[]; faults: Fault[] }> {
  const read = await readFolder(folder);
  if (read.held.length + read.faults.length > 0) return read;
  throw usage(
    `${folder} holds no test, which is a Markdown file: name the folder that does, or run \`svc tests pull\`.`,
  );
}

/** Two files may not be one test. */
function repeated(held: readonly Held[]): Fault[] {
  const first = new Map<string, string>();
  return held.flatMap(({ path, test }) =>
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
    if ((await file.stat()).size > LARGEST_BYTES) throw new FileFault("is larger than 1 MiB");
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(await file.readFile());
  } catch (error) {
    if (error instanceof TypeError) throw new FileFault("is not UTF-8 text");
    throw error;
  } finally {
    await file.close();
  }
}

/** Replaces the file as a whole, so that a reader sees the old text or the new one. */
export async function writeText(path: string, text: string): Promise<void> {
  const fresh = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    await mkdir(dirname(path), { recursive: true });
    const file = await open(fresh, "wx");
    try {
      await file.writeFile(text);
    } finally {
      await file.close();
    }
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => undefined);
    throw usage(`${path} cannot be written (${(error as NodeJS.ErrnoException).code}): name a folder of yours.`);
  }
}

/** A file name for a test, which none of `taken` has in any case. */
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
