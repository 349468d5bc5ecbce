import { LazyText } from "../lazy-text.ts";

// A sender may give an attribute any type. The functions of this file return null, or an empty container, for an unexpected type.
const DEEPEST_JSON = 64;
const LARGEST_COUNT = 1e12;
const LONGEST_MS = 24 * 3_600_000;

export const textOf = (value: unknown): string | null =>
  typeof value === "string" && value.trim() !== "" ? value : null;

/** Senders also write booleans as text ("true", "False"). */
export function flagOf(value: unknown): boolean | null {
  if (typeof value === "boolean") return value;
  if (typeof value !== "string") return null;
  const word = value.toLowerCase();
  return word === "true" ? true : word === "false" ? false : null;
}

/** OTLP/JSON sends 64-bit integers as text. */
export function numberOf(value: unknown): number | null {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

export function countOf(values: readonly unknown[]): number | null {
  for (const value of values) {
    const count = numberOf(value);
    if (count !== null && Number.isInteger(count) && count >= 0 && count <= LARGEST_COUNT) return count;
  }
  return null;
}

/** Returns null for `unknown`, which platforms send when a model or provider has no name. */
export function nameOf(value: unknown): string | null {
  const name = textOf(value);
  return name === "unknown" ? null : name;
}

/** Returns null for 0 and less, because senders use such values for unknown durations. */
export function milliseconds(value: unknown, unit: "milliseconds" | "seconds"): number | null {
  const duration = numberOf(value);
  if (duration === null || duration <= 0) return null;
  const ms = unit === "seconds" ? duration * 1000 : duration;
  return ms <= LONGEST_MS ? ms : null;
}

/** Returns the parsed value of JSON text; undefined for text that is not JSON. Returns any other value unchanged. */
export function structureOf(value: unknown): unknown {
  if (value instanceof LazyText) return parse(value.toString());
  return typeof value === "string" ? parse(value) : value;
}

export const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/**
 * Returns the parsed value of JSON text. Returns the text itself when it is not JSON, nests too deep, or has numbers that JavaScript
 * cannot represent exactly. The JSON text `null` also stays text, because the value null means that content was withheld. Returns null
 * for a value of another type that nests too deep. Returns a lazy text unchanged, because callers only check whether it exists.
 */
export function contentOf(value: unknown): unknown {
  if (value instanceof LazyText) return value;
  if (typeof value !== "string") return containsOnly(value, () => true) ? (value ?? null) : null;
  const parsed = parse(value);
  return parsed === undefined || parsed === null || !containsOnly(parsed, isExact) ? value : parsed;
}

const isExact = (item: unknown) => typeof item !== "number" || Math.abs(item) <= Number.MAX_SAFE_INTEGER;

/** Matches the possible beginnings of JSON text. For prose, this test is faster than a failing parse. */
const JSON_START = /^\s*(?:[[{"\-\d]|true|false|null)/;

function parse(text: string): unknown {
  if (!JSON_START.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function containsOnly(value: unknown, isAllowed: (item: unknown) => boolean): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST_JSON) return false;
    const next: unknown[] = [];
    for (const item of level) {
      if (!isAllowed(item)) return false;
      if (typeof item === "object" && item !== null) for (const child of Object.values(item)) next.push(child);
    }
    level = next;
  }
  return true;
}
