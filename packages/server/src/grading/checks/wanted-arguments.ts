import { jsonOf, TURN_CHARACTERS } from "../bounds.ts";
import { search } from "../pattern/pattern.ts";
import type { WantedArguments, WantedValue } from "./check.ts";
import { sameValue } from "./values/same-value.ts";

const DEPTH_MAX = 5;

/**
 * Returns whether a call has the wanted arguments; null if its arguments were withheld or are too long, or if a value may be equal to the
 * wanted value.
 */
export function matchesArguments({ only, each }: WantedArguments, actual: unknown): boolean | null {
  if (actual === null || actual === undefined) return null;
  const results = each.map(({ path, wanted }) => matchesAt(path, wanted, actual));
  if (results.includes(false)) return false;
  if (only && !hasNoOther(each, actual)) return false;
  return results.includes(null) ? null : true;
}

/**
 * Returns whether the argument at the path has the wanted value. Without an argument at the path, returns null if another argument has an
 * equal value, and false otherwise.
 */
function matchesAt(path: readonly string[], wanted: WantedValue, actual: unknown): boolean | null {
  const value = valueAt(actual, path);
  if (value !== undefined) return matches(wanted, value);
  return wanted.kind !== "pattern" && hasSomewhere(wanted, actual, 0) ? null : false;
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const key of path) at = isObject(at) ? memberOf(at, key) : undefined;
  return at;
}

/** Returns the member with this name, else the only member whose name differs just in case and separators. */
function memberOf(object: Record<string, unknown>, key: string): unknown {
  if (Object.hasOwn(object, key)) return object[key];
  const alike = Object.keys(object).filter((name) => bareName(name) === bareName(key));
  return alike.length === 1 ? object[alike[0]!] : undefined;
}

const bareName = (name: string) => name.replace(/[_-]/g, "").toLowerCase();

function hasSomewhere(wanted: WantedValue, value: unknown, depth: number): boolean {
  if (depth > DEPTH_MAX) return false;
  if (isObject(value)) return Object.values(value).some((member) => hasSomewhere(wanted, member, depth + 1));
  return matches(wanted, value) !== false;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const hasNoOther = (each: WantedArguments["each"], actual: unknown) => {
  const names = new Set(each.map(({ path }) => bareName(path[0]!)));
  return isObject(actual) && Object.keys(actual).every((key) => names.has(bareName(key)));
};

function matches(wanted: WantedValue, value: unknown): boolean | null {
  switch (wanted.kind) {
    case "json":
      return contains(value, wanted.value);
    case "text":
    case "bare":
      return isDeep(value, 0) ? false : sameValue({ text: wanted.text, quoted: wanted.kind === "text" }, value);
    case "pattern": {
      const text = typeof value === "string" ? value : jsonOf(value);
      if (text.length > TURN_CHARACTERS) return null;
      const range = search(wanted.pattern, text);
      return range === "too_costly" ? null : range !== undefined;
    }
  }
}

const isDeep = (value: unknown, depth: number): boolean =>
  depth > DEPTH_MAX || (Array.isArray(value) && value.some((item) => isDeep(item, depth + 1)));

/**
 * Returns whether a value contains the wanted value. An object may have more members than the wanted object. An array must have the same
 * number of items.
 */
function contains(value: unknown, wanted: unknown): boolean | null {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(value) || value.length !== wanted.length) return false;
    return allOf(wanted.map((item, index) => contains(value[index], item)));
  }
  if (isObject(wanted)) {
    if (!isObject(value)) return false;
    return allOf(
      Object.entries(wanted).map(([key, item]) =>
        memberOf(value, key) === undefined ? false : contains(memberOf(value, key), item),
      ),
    );
  }
  if (typeof wanted === "string") return isDeep(value, 0) ? false : sameValue({ text: wanted, quoted: true }, value);
  return value === wanted;
}

const allOf = (results: readonly (boolean | null)[]): boolean | null =>
  results.includes(false) ? false : results.includes(null) ? null : true;
