/** Limits of the part of a conversation that graders read. */
export const TURN_CHARACTERS = 20_000;
export const TURNS = 2_000;
export const TOOL_CALLS = 2_000;

const EXCERPT_CHARACTERS = 200;

export const excerpt = (text: string, characters = EXCERPT_CHARACTERS): string =>
  text.length <= characters ? text : `${text.slice(0, characters - 1).toWellFormed()}…`;

/** Returns the value as JSON. Returns an empty text if the value cannot be written as JSON, or is nested too deeply. */
export function jsonOf(value: unknown, replacer?: (name: string, member: unknown) => unknown): string {
  try {
    return JSON.stringify(value, replacer) ?? "";
  } catch {
    return "";
  }
}
