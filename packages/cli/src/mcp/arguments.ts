import { issueText, LIMITS } from "@svc/contract";
import { cutText } from "@svc/contract/constants";
import { Refusal } from "../refusal.ts";
import type { Tool } from "./tool.ts";

/** A refusal quotes the names of unknown members, which can have any length. */
const REFUSAL_CHARACTERS_MAX = 4_000;

export function argumentsOf({ name, input }: Pick<Tool, "name" | "input">, given: unknown): unknown {
  const { data, error } = input.safeParse(given, { error: issueText });
  if (error === undefined) return data;
  const issues = error.issues
    .slice(0, LIMITS.issuesShown)
    .map(({ path, message }) => (path.length === 0 ? message : `\`${path.join(".")}\`: ${message}`));
  const text = `Correct the arguments of ${name} and call it again. ${issues.join(" ")}`;
  throw new Refusal("invalid_request", cutText(text.replaceAll(/\s+/g, " "), REFUSAL_CHARACTERS_MAX));
}

/**
 * Returns a message of the command line for an assistant: a flag that is also an argument of the tool is named as the argument. Commands
 * in backticks stay as they are, because a person may run them.
 */
export const withArgumentNames = ({ input }: Pick<Tool, "input">, message: string): string =>
  message.replaceAll(/`[^`]*`|--([a-z]+(?:-[a-z]+)*)/g, (found, flag: string | undefined) => {
    const name = flag?.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return name !== undefined && name in input.shape ? `the argument \`${name}\`` : found;
  });
