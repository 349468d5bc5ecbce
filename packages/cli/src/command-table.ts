import { readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import type { CommandClass } from "./command.ts";

/** `summary` reads the summary without loading the module of the command. */
type TableEntry = { summary: () => string; load: () => Promise<{ default: CommandClass }> };

const FOLDER = join(import.meta.dirname, "commands");
const EXTENSION = extname(import.meta.filename);
const SUMMARY = /^ +summary:\s+(?<text>".*"),$/m;

/** The id `tests:list` belongs to `commands/tests/list.ts`. In the single-file build, a generated table replaces this module. */
export const COMMANDS: Record<string, TableEntry> = Object.fromEntries(
  readdirSync(FOLDER, { recursive: true, withFileTypes: true })
    .filter(({ name }) => name.endsWith(EXTENSION))
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((file) => [idOf(file), { summary: () => summaryIn(file), load: () => import(pathToFileURL(file).href) }]),
);

function idOf(file: string): string {
  return relative(FOLDER, file).slice(0, -EXTENSION.length).replaceAll(sep, ":");
}

/** Reads the source text, because loading the modules of all commands would take 20 times as long. */
function summaryIn(file: string): string {
  const { text } = SUMMARY.exec(readFileSync(file, "utf8"))?.groups ?? {};
  if (text === undefined) throw new Error(`${file} has no line \`summary: "…",\``);
  return JSON.parse(text) as string;
}
