import { jsonOf, TURN_CHARACTERS } from "../bounds.ts";
import { search } from "../pattern/pattern.ts";
import type { WantedArguments, WantedValue } from "./check.ts";
import { takeJson, takePattern, takeQuoted } from "./literals.ts";

const ARGUMENTS_MAX = 50;

/** Reads conditions such as `guests=2, name="Ana Silva", code=/^A/`; returns undefined for any other text. */
export function readArguments(text: string): WantedArguments | { problem: string } | undefined {
  const only = /^exactly\s+/i.exec(text);
  let rest = text.slice(only?.[0].length ?? 0);
  const each: WantedArguments["each"] = [];
  while (each.length < ARGUMENTS_MAX) {
    const key = /^([A-Za-z_][\w-]*(?:\.[\w-]+)*)\s*=\s*/.exec(rest);
    if (key === null) return undefined;
    const value = takeWanted(rest.slice(key[0].length));
    if (value === undefined || "problem" in value) return value;
    each.push({ path: key[1]!.split("."), wanted: value.wanted });
    rest = value.rest.trimStart();
    if (rest === "") return { only: only !== null, each };
    const separator = /^(?:,\s*(?:and\s+)?|and\s+)/i.exec(rest);
    if (separator === null) return undefined;
    rest = rest.slice(separator[0].length);
  }
  return undefined;
}

function takeWanted(text: string): { wanted: WantedValue; rest: string } | { problem: string } | undefined {
  const pattern = takePattern(text);
  if (pattern !== undefined) {
    if ("problem" in pattern.value) return pattern.value;
    return { wanted: { kind: "pattern", pattern: pattern.value }, rest: pattern.rest };
  }
  const json = takeQuoted(text) ?? takeJson(text);
  if (json !== undefined) return { wanted: { kind: "json", value: json.value }, rest: json.rest };
  const next = /\s*(?:,|\band\b)\s*(?:and\s+)?[A-Za-z_][\w.-]*\s*=/i.exec(text);
  const bare = text.slice(0, next?.index ?? text.length).trim();
  if (bare === "") return undefined;
  return { wanted: { kind: "bare", text: bare }, rest: text.slice(next?.index ?? text.length) };
}

/** Returns whether a call's arguments match; null when they were withheld or are too long to search. */
export function matchesArguments({ only, each }: WantedArguments, actual: unknown): boolean | null {
  if (actual === null || actual === undefined) return null;
  const results = each.map(({ path, wanted }) => matches(wanted, valueAt(actual, path)));
  if (results.includes(false)) return false;
  if (only && !hasNoOther(each, actual)) return false;
  return results.includes(null) ? null : true;
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const key of path) at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  return at;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const hasNoOther = (each: WantedArguments["each"], actual: unknown) => {
  const names = new Set(each.map(({ path }) => path[0]));
  return isObject(actual) && Object.keys(actual).every((key) => names.has(key));
};

function matches(wanted: WantedValue, value: unknown): boolean | null {
  if (value === undefined) return false;
  if (wanted.kind === "json") return contains(value, wanted.value);
  const text = typeof value === "string" ? value : jsonOf(value);
  if (wanted.kind === "bare") return text.trim() === wanted.text || sameNumber(text, wanted.text);
  if (text.length > TURN_CHARACTERS) return null;
  const range = search(wanted.pattern, text);
  return range === "too_costly" ? null : range !== undefined;
}

const NUMBER = /^-?\d+(\.\d+)?$/;
const sameNumber = (a: string, b: string) => NUMBER.test(a) && NUMBER.test(b) && Number(a) === Number(b);

/** Returns whether a value contains the wanted one: an object may have more members, a list may not have more items. */
function contains(value: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted))
    return (
      Array.isArray(value) &&
      value.length === wanted.length &&
      wanted.every((item, index) => contains(value[index], item))
    );
  if (isObject(wanted))
    return (
      isObject(value) &&
      Object.entries(wanted).every(([key, item]) => Object.hasOwn(value, key) && contains(value[key], item))
    );
  return value === wanted;
}
