import type { WantedArguments, WantedValue } from "../check.ts";
import { openQuote, takeJson, takePattern, takeQuoted } from "./literals.ts";

const ARGUMENTS_MAX = 50;

type TakenArguments = { arguments: WantedArguments; rest: string };

/** Reads conditions such as `guests=2, name: "Ana Silva" and code=/^A/`. */
export function takeArguments(text: string): TakenArguments | { problem: string } | undefined {
  const opening = /^\s+(?:with|using)\s+(?:(exactly)\s+)?/i.exec(text);
  if (opening === null) return undefined;
  let rest = text.slice(opening[0].length);
  const each: WantedArguments["each"] = [];
  while (each.length < ARGUMENTS_MAX) {
    const key = takeKey(rest);
    if (key === undefined) return undefined;
    const value = takeWanted(key.rest);
    if (value === undefined || "problem" in value) return value;
    each.push({ path: key.path, wanted: value.wanted });
    rest = value.rest;
    const separator = /^(?:\s*,\s*(?:and\s+)?|\s+and\s+)/i.exec(rest);
    if (separator === null || takeKey(rest.slice(separator[0].length)) === undefined)
      return { arguments: { only: opening[1] !== undefined, each }, rest };
    rest = rest.slice(separator[0].length);
  }
  return undefined;
}

const KEY = /^(?:the\s+)?([A-Za-z_][\w-]*(?:\.[\w-]+)*)(\s*[=:]\s*|\s+(?=["'“‘+\d]))/;
/** Words that are no argument names before a number or a quote, as in "with about 2 guests". */
const NOT_KEYS = new Set(
  "a an the about around at by exactly for from in least less more most no of on only or over roughly than to under up with without any".split(
    " ",
  ),
);

function takeKey(text: string): { path: string[]; rest: string } | undefined {
  const key = KEY.exec(text);
  if (key === null || (key[2]!.trim() === "" && NOT_KEYS.has(key[1]!.toLowerCase()))) return undefined;
  return { path: key[1]!.split("."), rest: text.slice(key[0].length) };
}

type TakenValue = { wanted: WantedValue; rest: string };

function takeWanted(text: string): TakenValue | { problem: string } | undefined {
  const pattern = takePattern(text);
  if (pattern !== undefined) {
    if ("problem" in pattern.value) return pattern.value;
    return { wanted: { kind: "pattern", pattern: pattern.value }, rest: pattern.rest };
  }
  if (/^["'“‘«]/.test(text)) {
    const quoted = takeQuoted(text);
    if (quoted === undefined) return openQuote(text);
    return { wanted: { kind: "text", text: quoted.value }, rest: quoted.rest };
  }
  const json = takeJson(text);
  if (json !== undefined) return { wanted: { kind: "json", value: json.value }, rest: json.rest };
  const bare = (TYPED.exec(text) ?? PROPER_NAME.exec(text) ?? WORD.exec(text))?.[0];
  return bare === undefined ? undefined : { wanted: { kind: "bare", text: bare }, rest: text.slice(bare.length) };
}

const MONTH = "(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*";
const END = "(?=$|\\s|,(?!\\d))";
/** Matches unquoted values of several words. Only dates, times, telephone numbers and proper names have a certain end. */
const TYPED = new RegExp(
  [
    `${MONTH}\\s+\\d{1,2}(?:st|nd|rd|th)?(?:,?\\s+\\d{4})?${END}`,
    `\\d{1,2}(?:st|nd|rd|th)?\\s+(?:of\\s+)?${MONTH}(?:,?\\s+\\d{4})?${END}`,
    `\\d{1,2}(?::\\d{2})?\\s*[ap]\\.?m\\b\\.?${END}`,
    `\\+\\d[\\d.-]*(?:\\s+\\(?\\d[\\d.)-]*)+${END}`,
    `[$€£]?\\d{1,3}(?:,\\d{3})+(?:\\.\\d+)?${END}`,
  ]
    .map((value) => `^${value}`)
    .join("|"),
  "i",
);
const PROPER_NAME = new RegExp(`^\\p{Lu}[\\p{L}\\p{M}'’-]*(?:\\s+\\p{Lu}[\\p{L}\\p{M}'’-]*)+${END}`, "u");
const WORD = new RegExp(`^[^\\s,;"“”\`=(){}[\\]<>!?]+${END}`);
