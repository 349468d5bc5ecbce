import type { CommandClass } from "./command.ts";
import { COMMANDS } from "./command-table.ts";

export const isCommand = (id: string): boolean => Object.hasOwn(COMMANDS, id);

/** Loads the command, and no other command. */
export const loadCommand = async (id: string): Promise<CommandClass> => (await COMMANDS[id]!.load()).default;

/** Returns the ids of the commands in a topic, or of the commands without a topic. */
export function commandIds(topic?: string): string[] {
  const ids = Object.keys(COMMANDS).sort();
  return ids.filter((id) => (topic === undefined ? !id.includes(":") : id.startsWith(`${topic}:`)));
}

/** Returns every command as a person types it, such as `tests list`. */
export const commandNames = (): string[] => Object.keys(COMMANDS).map((id) => id.replace(":", " "));

/** Returns the command's line in lists of commands. */
export const summaryOf = (id: string): string => COMMANDS[id]!.summary();
