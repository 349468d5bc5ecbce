/** Readers of attribute values, which the sender may give any type: what does not fit is null. */

const DEEPEST_JSON = 64;
const LARGEST_COUNT = 1e12;
const LONGEST_MS = 24 * 3_600_000;

/** Text that says something. */
export const textOf = (value: unknown): string | null =>
  typeof value === "string" && value.trim() !== "" ? value : null;

/** A boolean, or its name as text ("true", "False"). */
export function flagOf(value: unknown): boolean | null {
  if (typeof value === "boolean") return value;
  if (typeof value !== "string") return null;
  const word = value.toLowerCase();
  return word === "true" ? true : word === "false" ? false : null;
}

/** A finite number, or one as text, as 64-bit integers are sent. */
export function numberOf(value: unknown): number | null {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

/** The first that is a whole number. */
export function countOf(values: readonly unknown[]): number | null {
  for (const value of values) {
    const count = numberOf(value);
    if (count !== null && Number.isInteger(count) && count >= 0 && count <= LARGEST_COUNT) return count;
  }
  return null;
}

/** `unknown` is what platforms write for a model or provider that does not name itself. */
export function nameOf(value: unknown): string | null {
  const name = textOf(value);
  return name === "unknown" ? null : name;
}

/** What an attribute states, in milliseconds; null for what says that it is not known, and for nonsense. */
export function milliseconds(value: unknown, unit: "milliseconds" | "seconds"): number | null {
  const stated = numberOf(value);
  if (stated === null || stated <= 0) return null;
  const ms = unit === "seconds" ? stated * 1000 : stated;
  return ms <= LONGEST_MS ? ms : null;
}

/** A list or record, or one in JSON text. */
export function structureOf(value: unknown): unknown {
  return typeof value === "string" ? parse(value) : value;
}

/** An object's members, or none. */
export const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

/** A list's items, or none. */
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/**
 * The value of JSON text; the text itself when it is no JSON, is `null` (which here means withheld), or would not come
 * back whole: numbers beyond what JavaScript holds exactly, nesting too deep to print. Null for a structure that deep.
 */
export function contentOf(value: unknown): unknown {
  if (typeof value !== "string") return holdsOnly(value, () => true) ? (value ?? null) : null;
  const parsed = parse(value);
  return parsed === undefined || parsed === null || !holdsOnly(parsed, isExact) ? value : parsed;
}

const isExact = (item: unknown) => typeof item !== "number" || Math.abs(item) <= Number.MAX_SAFE_INTEGER;

/** What JSON text can begin with; words are told apart from it faster than they fail. */
const JSON_START = /^\s*(?:[[{"\-\d]|true|false|null)/;

function parse(text: string): unknown {
  if (!JSON_START.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether the value is not too deep, and all that it holds is allowed. */
function holdsOnly(value: unknown, isAllowed: (item: unknown) => boolean): boolean {
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
