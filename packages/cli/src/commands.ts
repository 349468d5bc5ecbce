import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join, sep } from "node:path";
import { pathToFileURL } from "node:url";
import type { CommandClass } from "./command.ts";

const FOLDER = join(import.meta.dirname, "commands");
const EXTENSION = extname(import.meta.filename);

const fileOf = (id: string): string => join(FOLDER, ...id.split(":")) + EXTENSION;

/** Whether a file declares the command: `tests:list` is `commands/tests/list.ts`. */
export const isCommand = (id: string): boolean => /^[a-z-]+(?::[a-z-]+)?$/.test(id) && existsSync(fileOf(id));

/** Loads the command's file, and no other command's. */
export async function loadCommand(id: string): Promise<CommandClass> {
  const { default: command } = (await import(pathToFileURL(fileOf(id)).href)) as { default: CommandClass };
  return command;
}

/** Returns the id of every command. */
export const commandIds = (): string[] =>
  readdirSync(FOLDER, { encoding: "utf8", recursive: true })
    .filter((path) => path.endsWith(EXTENSION))
    .map((path) => path.slice(0, -EXTENSION.length).replaceAll(sep, ":"))
    .sort();

const SUMMARY = /^ +summary:\s+(?<text>".*"),$/m;

/** Returns the command's summary from the text of its file: loading the commands that a help lists is 50 times slower. */
export function summaryOf(id: string): string {
  const { text } = SUMMARY.exec(readFileSync(fileOf(id), "utf8"))?.groups ?? {};
  if (text === undefined) throw new Error(`${fileOf(id)} has no line \`summary: "…",\``);
  return JSON.parse(text) as string;
}
