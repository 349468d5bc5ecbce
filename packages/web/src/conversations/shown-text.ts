const CONTROL = /\p{Cc}/gu;

/** Returns a text with visible symbols in place of control characters other than line breaks and tabs. */
export const shownText = (text: string): string =>
  text.replaceAll("\r\n", "\n").replace(CONTROL, (character) => {
    if (character === "\n" || character === "\t") return character;
    const code = character.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? "␡" : "\uFFFD";
  });

export const valueText = (value: unknown): string =>
  shownText(typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

/** Example: `city=Paris, nights=2`. */
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

export const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
