/**
 * Returns where a text stops being valid JSON, from the error of `JSON.parse`: ` at line 1, column 9` or ` at its end`. Returns an empty
 * string when the error contains no position.
 */
export function placeInJson(error: unknown): string {
  const text = String(error);
  if (text.includes("end of JSON input")) return " at its end";
  const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(text) ?? [];
  return line === undefined ? "" : ` at line ${line}, column ${column}`;
}
