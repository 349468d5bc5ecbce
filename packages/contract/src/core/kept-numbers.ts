import { LIMITS } from "./limits.ts";
import { cutText } from "./cut-text.ts";

/** A JSON string, number or sign. Only for valid JSON. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|[{}[\],]/g;
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** Programs keep every number with at most 15 digits and no exponent. */
const MAY_BE_LOST = /[\d.]{16}|\d[eE]/;

/** Returns whether a program that reads the number as a double still has its exact value, as in `0.1` and not in `1e400`. */
export function isKeptNumber(literal: string): boolean {
  return !MAY_BE_LOST.test(literal) || valueOf(literal) === valueOf(String(Number(literal)));
}

/** The container around a value: the next index in a list, or the last member's name in an object, as the text writes it. */
type Place = { key: string | number; isKeyNext: boolean };

/**
 * Returns the paths of the first numbers in a valid JSON text that `isKeptNumber` refuses, such as `answer.ids.0`: as many as an
 * answer shows, and each as long as an answer shows it.
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

/** Returns the path of a value; of a long path, only the part that fits into an answer. */
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

/** Returns the exact value of a decimal literal in one form; undefined for any other text, such as `Infinity`. */
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
