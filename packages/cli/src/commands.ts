import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { CommandClass } from "./command.ts";

const FOLDER = join(import.meta.dirname, "commands");
const EXTENSION = extname(import.meta.filename);

const fileOf = (id: string): string => join(FOLDER, ...id.split(":")) + EXTENSION;

/** Returns whether a file declares the command: `tests:list` is `commands/tests/list.ts`. */
export const isCommand = (id: string): boolean => /^[a-z-]+(?::[a-z-]+)?$/.test(id) && existsSync(fileOf(id));

/** Loads the command's file, and no other command's. */
export async function loadCommand(id: string): Promise<CommandClass> {
  const { default: command } = (await import(pathToFileURL(fileOf(id)).href)) as { default: CommandClass };
  return command;
}

/** Returns the ids of the commands in a topic, or of the commands without a topic. */
export function commandIds(topic?: string): string[] {
  const names = readdirSync(topic === undefined ? FOLDER : join(FOLDER, topic)).filter((name) =>
    name.endsWith(EXTENSION),
  );
  const ids = names.map((name) => name.slice(0, -EXTENSION.length)).sort();
  return topic === undefined ? ids : ids.map((id) => `${topic}:${id}`);
}

const SUMMARY = /^ +summary:\s+(?<text>".*"),$/m;

/** Returns the command's summary from the text of its file. Loading the commands that a help lists would take 20 times as long. */
export function summaryOf(id: string): string {
  const { text } = SUMMARY.exec(readFileSync(fileOf(id), "utf8"))?.groups ?? {};
  if (text === undefined) throw new Error(`${fileOf(id)} has no line \`summary: "…",\``);
  return JSON.parse(text) as string;
}
