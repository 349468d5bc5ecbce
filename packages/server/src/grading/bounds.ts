/** Graders read at most this much of a conversation: characters of a turn, turns, and tool calls. */
export const TURN_CHARACTERS = 20_000;
export const TURNS = 2_000;
export const TOOL_CALLS = 2_000;

const EXCERPT_CHARACTERS = 200;

/** Returns the text, cut with an ellipsis when it is longer than `characters`. */
export const excerpt = (text: string, characters = EXCERPT_CHARACTERS): string =>
  text.length <= characters ? text : `${text.slice(0, characters - 1).toWellFormed()}…`;

/** Returns a value as JSON; an empty string when it is nested too deeply or has no JSON. */
export function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
  }
}
