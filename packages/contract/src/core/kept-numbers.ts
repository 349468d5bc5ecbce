import { LIMITS } from "./limits.ts";
import { cutText } from "./cut-text.ts";

/** Matches the next string, number, bracket or comma of a valid JSON text. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|[{}[\],]/g;
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** Matches literals that a double may round. A number with at most 15 digits and no exponent is always exact. */
const MAY_BE_LOST = /[\d.]{16}|\d[eE]/;

/** Returns whether a literal survives a conversion to a double and back without a change of value: `0.1` does, `1e400` does not. */
export function isKeptNumber(literal: string): boolean {
  return !MAY_BE_LOST.test(literal) || valueOf(literal) === valueOf(String(Number(literal)));
}

/**
 * Position of the parser in a list or an object. `key` is the current index in a list, or the current member's name in an object,
 * as a JSON string. `isKeyNext` is true when the next string is a member's name.
 */
type Place = { key: string | number; isKeyNext: boolean };

/**
 * Returns the paths of the numbers in a valid JSON text that a double cannot represent, such as `answer.ids.0`. Returns at most
 * `LIMITS.issuesShown` paths, each with at most `LIMITS.issuePathCharacters` characters.
 */
export function lostNumbers(json: string): string[] {
  if (!MAY_BE_LOST.test(json)) return [];
  const lost: string[] = [];
  const path: Place[] = [];
  for (const [token] of json.matchAll(TOKEN)) {
    const inner = path.at(-1);
    if (token === "{") path.push({ key: '""', isKeyNext: true });
    else if (token === "[") path.push({ key: 0, isKeyNext: false });
    else if (token === "}" || token === "]") path.pop();
    else if (token === ",") {
      if (typeof inner!.key === "number") inner!.key++;
      else inner!.isKeyNext = true;
    } else if (token.startsWith('"')) {
      if (inner?.isKeyNext) Object.assign(inner, { key: token, isKeyNext: false });
    } else if (!isKeptNumber(token) && lost.push(pathOf(path)) === LIMITS.issuesShown) break;
  }
  return lost;
}

/** Returns the path of a value, cut to `LIMITS.issuePathCharacters` characters. */
function pathOf(places: readonly Place[]): string {
  const names: string[] = [];
  let characters = -1;
  for (const { key } of places) {
    const name = typeof key === "number" ? String(key) : (JSON.parse(key) as string);
    names.push(name);
    characters += name.length + 1;
    if (characters > LIMITS.issuePathCharacters) break;
  }
  return cutText(names.join("."), LIMITS.issuePathCharacters);
}

/** Returns the exact value of a decimal literal in a canonical form, so that equal values have equal texts; undefined for `Infinity`. */
function valueOf(literal: string): string | undefined {
  const [, sign, whole, fraction = "", exponent = "0"] = NUMBER.exec(literal) ?? [];
  if (whole === undefined) return undefined;
  const digits = whole + fraction;
  let first = 0;
  let end = digits.length;
  while (digits[first] === "0") first++;
  while (end > first && digits[end - 1] === "0") end--;
  if (first === end) return "0";
  return `${sign}${digits.slice(first, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}
