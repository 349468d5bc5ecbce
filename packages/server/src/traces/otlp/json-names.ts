import { byteViewOf } from "./json-text.ts";

/** The names of OTLP's members that the decoder reads. */
const NAMES = [
  "resourceSpans",
  "resource",
  "scopeSpans",
  "schemaUrl",
  "scope",
  "name",
  "version",
  "spans",
  "traceId",
  "spanId",
  "parentSpanId",
  "traceState",
  "startTimeUnixNano",
  "endTimeUnixNano",
  "timeUnixNano",
  "kind",
  "flags",
  "status",
  "code",
  "message",
  "attributes",
  "events",
  "links",
  "droppedAttributesCount",
  "droppedEventsCount",
  "droppedLinksCount",
  "key",
  "value",
  "values",
  "stringValue",
  "intValue",
  "boolValue",
  "doubleValue",
  "arrayValue",
  "kvlistValue",
  "bytesValue",
] as const;

export type MemberName = (typeof NAMES)[number];

const inSnakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** All names: a number is an index in this list, and the number of a name in snake_case is `SNAKE_CASE` more. */
export const ALL_NAMES: readonly string[] = [...NAMES, ...NAMES.map(inSnakeCase)];
export const SNAKE_CASE = NAMES.length;
export const UNKNOWN_NAME = -1;

export const NUMBERS = Object.fromEntries(NAMES.map((name, number) => [name, number])) as Readonly<
  Record<MemberName, number>
>;

const LENGTH_MIN = 3;
const LENGTH_MAX = Math.max(...ALL_NAMES.map((name) => name.length));
const WORDS = LENGTH_MAX >> 2;

// A hash table: a name has the entry at its hash or, when that is taken, the next free one.
const ENTRIES = 512;
const numbers = new Int16Array(ENTRIES).fill(UNKNOWN_NAME);
const lengths = new Uint8Array(ENTRIES);
const words = new Int32Array(ENTRIES * WORDS);
const lastWords = new Int32Array(ENTRIES);

for (const [number, name] of ALL_NAMES.entries()) {
  if (number >= SNAKE_CASE && name === ALL_NAMES[number - SNAKE_CASE]) continue;
  const view = byteViewOf(Buffer.from(`${name}"`)).view;
  let entry = hash(firstWord(view, 0, name.length), lastWord(view, name.length), name.length);
  while (lengths[entry] !== 0) entry = (entry + 1) % ENTRIES;
  numbers[entry] = number;
  lengths[entry] = name.length;
  words[entry * WORDS] = firstWord(view, 0, name.length);
  for (let i = 4; i + 4 <= name.length; i += 4) words[entry * WORDS + (i >> 2)] = view.getInt32(i, true);
  lastWords[entry] = lastWord(view, name.length);
}

/** Returns the number of the name in [from, to), or UNKNOWN_NAME. One byte must follow the name. */
export function nameNumber(view: DataView, from: number, to: number): number {
  const length = to - from;
  if (length < LENGTH_MIN || length > LENGTH_MAX) return UNKNOWN_NAME;
  const hashed = hash(firstWord(view, from, length), lastWord(view, to), length);
  for (let entry = hashed; lengths[entry] !== 0; entry = (entry + 1) % ENTRIES) {
    if (lengths[entry] === length && isEntry(entry, view, from)) return numbers[entry]!;
  }
  return UNKNOWN_NAME;
}

const entryOf = new Int16Array(ALL_NAMES.length);
for (let entry = 0; entry < ENTRIES; entry++) if (lengths[entry] !== 0) entryOf[numbers[entry]!] = entry;

export const nameLength = (number: number) => lengths[entryOf[number]!]!;

/** Returns whether the text at `from` begins with a name; the view must hold one byte more than the name. */
export const isName = (number: number, view: DataView, from: number) => isEntry(entryOf[number]!, view, from);

function isEntry(entry: number, view: DataView, from: number): boolean {
  const length = lengths[entry]!;
  if (words[entry * WORDS] !== firstWord(view, from, length)) return false;
  if (lastWords[entry] !== lastWord(view, from + length)) return false;
  for (let i = 4; i + 4 <= length; i += 4) {
    if (words[entry * WORDS + (i >> 2)] !== view.getInt32(from + i, true)) return false;
  }
  return true;
}

function firstWord(view: DataView, from: number, length: number): number {
  const word = view.getInt32(from, true);
  return length > 3 ? word : word & 0xff_ffff;
}

/** Returns the last three bytes of a name. */
function lastWord(view: DataView, to: number): number {
  return view.getInt32(to - 3, true) & 0xff_ffff;
}

function hash(first: number, last: number, length: number): number {
  return (Math.imul(first ^ Math.imul(last, 0x9e37_79b1) ^ length, 0x85eb_ca6b) >>> 16) % ENTRIES;
}
