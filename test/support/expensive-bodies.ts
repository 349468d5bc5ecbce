import type { Operation } from "@svc/contract";
import type { z } from "zod";

/**
 * Returns a body with one long name and, under it, many numbers that a double cannot hold. The path of each number is as long as
 * the name.
 */
export const wideBody = (nameCharacters = 160_000, numbers = 27_000): string =>
  `{"${"k".repeat(nameCharacters)}":[${"1e999,".repeat(numbers - 1)}1e999]}`;

/**
 * Returns a body with many nested members and, in the innermost, numbers that a double cannot hold. The path of each number has one
 * part for each level.
 */
export const nestedBody = (levels = 60_000, numbers = 60_000): string =>
  `${'{"a":'.repeat(levels)}[${"1e999,".repeat(numbers - 1)}1e999]${"}".repeat(levels)}`;

/** A hostile body, and a description of it. */
export type HostileBody = { what: string; text: string };

type Place = { path: (string | number)[]; schema: z.core.$ZodType };

/** Returns the places of a body at which its schema accepts a value, such as `mock_tools.0.answer`. */
function placesOf(schema: z.core.$ZodType, path: (string | number)[] = []): Place[] {
  const def = (schema as z.ZodType).def as z.core.$ZodTypeDef & {
    shape?: Record<string, z.core.$ZodType>;
    innerType?: z.core.$ZodType;
    in?: z.core.$ZodType;
    element?: z.core.$ZodType;
    options?: readonly z.core.$ZodType[];
  };
  const inner = def.innerType ?? def.in;
  if (inner !== undefined) return placesOf(inner, path);
  return [
    { path, schema },
    ...Object.entries(def.shape ?? {}).flatMap(([name, member]) => placesOf(member, [...path, name])),
    ...(def.options ?? []).flatMap((option) => placesOf(option, path).slice(1)),
    ...(def.element === undefined ? [] : placesOf(def.element, [...path, 0])),
  ];
}

const many = (part: string, bytes: number) => part.repeat(Math.max(1, Math.floor(bytes / part.length)));
const listOf = (item: string, bytes: number) => `[${many(`${item},`, bytes)}${item}]`;
const members = (bytes: number, member: (at: number) => string) => {
  const parts: string[] = [];
  for (let size = 0, at = 0; size < bytes; at++) size += parts.push(member(at)) && parts.at(-1)!.length + 1;
  return `{${parts.join(",")}}`;
};
const deep = (levels: number, open: string, close: string, inner: string) =>
  open.repeat(levels) + inner + close.repeat(levels);

/** Values of about `bytes` bytes. Each value is put at one place of an otherwise valid body. */
const FILLERS: Record<string, (bytes: number) => string> = {
  "numbers in a list": (bytes) => listOf("0", bytes),
  "lost numbers in a list": (bytes) => listOf("1e999", bytes),
  "long lost numbers in a list": (bytes) => listOf("0.12345678901234567890", bytes),
  "kept numbers with exponents": (bytes) => listOf("1e1", bytes),
  "objects in a list": (bytes) => listOf("{}", bytes),
  "objects with a member in a list": (bytes) => listOf('{"":0}', bytes),
  "lists in a list": (bytes) => listOf("[]", bytes),
  "texts in a list": (bytes) => listOf('""', bytes),
  "long texts in a list": (bytes) => listOf(`"${"x".repeat(1_900)}"`, bytes),
  "patterns in a list": (bytes) => listOf(`"says /${"(a|b)*".repeat(60)}/"`, bytes),
  "phrases in a list": (bytes) => listOf(`"${'says \\"a\\" or '.repeat(60)}"`, bytes),
  "nulls in a list": (bytes) => listOf("null", bytes),
  "pairs of surrogates in a list": (bytes) => listOf('"\\ud83d\\ude00"', bytes),
  "deep lists in a list": (bytes) => listOf(deep(100, "[", "]", ""), bytes),
  "deep objects in a list": (bytes) => listOf(deep(60, '{"":', "}", "1e999"), bytes),
  "many members": (bytes) => members(bytes, (at) => `"${at.toString(36)}":1`),
  "many members of texts": (bytes) => members(bytes, (at) => `"${at.toString(36)}":"x"`),
  "many members of objects": (bytes) => members(bytes, (at) => `"${at.toString(36)}":{}`),
  "one member many times": (bytes) => members(bytes, () => '"a":1'),
  "a long name": (bytes) => `{"${"k".repeat(bytes)}":1}`,
  "a long name above lost numbers": (bytes) => wideBody(bytes >> 1, Math.max(2, Math.floor(bytes / 12))),
  "levels beyond the limit": (bytes) => nestedBody(Math.max(2, bytes >> 3), Math.max(2, bytes >> 4)),
  "open lists": (bytes) => "[".repeat(bytes),
  "a long text": (bytes) => `"${"x".repeat(bytes)}"`,
  "a text of spaces": (bytes) => `"${" ".repeat(bytes)}x"`,
  "a text of escapes": (bytes) => `"${many("\\u0041", bytes)}"`,
  "a text of emoji": (bytes) => `"${many("\\ud83d\\ude00", bytes)}"`,
  "a text of combining characters": (bytes) => `"e${many("\u0301", bytes >> 1)}"`,
  "a text of quotes and brackets": (bytes) => `"${many('\\"[{(', bytes)}"`,
  "half a surrogate pair": (bytes) => listOf('"\\ud800"', bytes),
  "a long number": (bytes) => "7".repeat(bytes),
  "a long fraction": (bytes) => `0.${"7".repeat(bytes)}`,
  "a long exponent": (bytes) => `1e${"7".repeat(bytes)}`,
  "digits in a text": (bytes) => `"${"7".repeat(bytes)}"`,
  "a long address": (bytes) => `"${"a.".repeat(bytes >> 1)}a@b.test"`,
  "a long URL": (bytes) => `"https://a.test/${"%41".repeat(Math.floor(bytes / 3))}"`,
};

const HOLE = "the hole of a hostile body";

function withHole(valid: unknown, [name, ...rest]: readonly (string | number)[]): unknown {
  if (name === undefined) return HOLE;
  if (typeof name === "number") {
    const [first] = Array.isArray(valid) ? (valid as unknown[]) : [];
    return [withHole(first, rest)];
  }
  const members = valid !== null && typeof valid === "object" && !Array.isArray(valid) ? valid : {};
  return { ...members, [name]: withHole((members as Record<string, unknown>)[name], rest) };
}

/** Returns every combination of a place and a filler: a body of about `bytes` bytes that is valid except at this place. */
export function hostileBodies({ body }: Operation, valid: unknown, bytes: number): (() => HostileBody)[] {
  if (body === undefined || body === "otlp") return [];
  const places = [...placesOf(body), { path: ["unknown"] }];
  return places.flatMap(({ path }) => {
    const around = JSON.stringify(withHole(valid, path));
    const room = Math.max(16, bytes - around.length - 64);
    return Object.entries(FILLERS).map(([filler, make]) => () => ({
      what: `${path.join(".") || "the body"}: ${filler}`,
      text: around.replace(`"${HOLE}"`, () => make(room)).slice(0, bytes),
    }));
  });
}

/** Returns bodies of about `bytes` bytes in the form encoding (`application/x-www-form-urlencoded`). */
export const hostileForms = (bytes: number): HostileBody[] => [
  { what: "a form of many members", text: many("a=1&", bytes) },
  { what: "a form of many known members", text: many("client_id=1&", bytes) },
  { what: "a form of escapes", text: `client_id=${many("%41", bytes - 20)}` },
  { what: "a form of plus signs", text: `client_id=${many("+", bytes - 20)}` },
  { what: "a form of broken escapes", text: `client_id=${many("%", bytes - 20)}` },
];
