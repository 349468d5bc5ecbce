const CONTROL = /\p{Cc}/gu;

/** Returns a text with visible symbols in place of control characters. Tabs and line breaks are unchanged. */
export const shownText = (text: string): string =>
  text.replaceAll("\r\n", "\n").replace(CONTROL, (character) => {
    if (character === "\n" || character === "\t") return character;
    const code = character.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? "␡" : "\uFFFD";
  });

/** Returns a value as text: a string unchanged, anything else as JSON. */
export const valueText = (value: unknown): string =>
  shownText(typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

/** Returns the arguments of a call on one line, such as `city=Paris, nights=2`. The line has at most `most` characters. */
export function argumentsText(value: unknown, most = 160): string {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  const text = isObject
    ? Object.entries(value)
        .slice(0, 20)
        .map(([key, part]) => `${cut(shownText(key), 60)}=${cut(valueText(part), most)}`)
        .join(", ")
    : value === null
      ? ""
      : valueText(value);
  return cut(text.replaceAll(/\s+/g, " "), most);
}

/** Returns a text with at most `most` characters. A cut text ends with an ellipsis. */
export const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
