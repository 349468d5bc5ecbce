/** No turn is read beyond this many characters, and no conversation beyond this many turns and tool calls. */
export const TURN_CHARACTERS = 20_000;
export const TURNS = 2_000;
export const TOOL_CALLS = 2_000;

/** Of a text that a reason or a piece of evidence shows. */
const SHOWN_CHARACTERS = 200;

export const shown = (text: string, characters = SHOWN_CHARACTERS): string =>
  text.length <= characters ? text : `${text.slice(0, characters - 1).toWellFormed()}…`;

/** JSON of what a sender sent; empty when it is nested deeper than can be walked, or is nothing. */
export function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
  }
}
