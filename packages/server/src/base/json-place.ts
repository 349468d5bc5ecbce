/**
 * Returns where a text stops being JSON, from the error of `JSON.parse`: ` at line 1, column 9` or ` at its end`; nothing when
 * the error does not say it.
 */
export function placeInJson(error: unknown): string {
  const text = String(error);
  if (text.includes("end of JSON input")) return " at its end";
  const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(text) ?? [];
  return line === undefined ? "" : ` at line ${line}, column ${column}`;
}
