import { MalformedBody } from "./malformed-body.ts";

export type Json = Record<string, unknown>;

/** Thrown when JSON.parse has rounded a 64-bit number; the body is then parsed again, keeping the digits. */
export class RoundedNumber extends Error {}

// Where the walk is, for the message of a refusal: the lists that it is in, and at which item.
const lists: string[] = [];
const items: number[] = [];

export function startWalk(): void {
  lists.length = 0;
  items.length = 0;
}

/** Visits the objects of a list; a list that is absent or null is empty. */
export function each(name: string, list: unknown, visit: (item: Json) => void): void {
  if (list === undefined || list === null) return;
  const all = array(name, list);
  const level = lists.push(name) - 1;
  for (let i = 0; i < all.length; i++) {
    items[level] = i;
    visit(object("", all[i]));
  }
  lists.pop();
}

function wrong(name: string, expected: string): MalformedBody {
  const path = lists.map((list, level) => `${list}[${items[level]}]`);
  if (name !== "") path.push(name);
  return new MalformedBody(`${path.join(".") || "it"} must be ${expected}`);
}

export function object(name: string, value: unknown): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw wrong(name, "an object");
  return value as Json;
}

export function array(name: string, value: unknown): unknown[] {
  if (!Array.isArray(value)) throw wrong(name, "an array");
  return value;
}

export function string(name: string, value: unknown): string {
  if (typeof value !== "string") throw wrong(name, "a string");
  return value;
}

export const optionalString = (name: string, value: unknown): string =>
  value === undefined || value === null ? "" : string(name, value);

export function boolean(name: string, value: unknown): boolean {
  if (typeof value !== "boolean") throw wrong(name, "true or false");
  return value;
}

/** A 32-bit number, as a number or in digits; 0 when absent. */
export function count(name: string, value: unknown): number {
  if (value === undefined || value === null) return 0;
  const parsed = typeof value === "string" && /^-?\d{1,10}$/.test(value) ? Number(value) : value;
  if (typeof parsed !== "number" || !Number.isInteger(parsed) || parsed < -0x8000_0000 || parsed > 0xffff_ffff) {
    throw wrong(name, "a whole number of 32 bits");
  }
  return parsed;
}

/** An enum by number or by name; an unknown name is 0, as an unknown number is. */
export function enumNumber(name: string, value: unknown, byName: Record<string, number>): number {
  if (typeof value === "string" && /^[A-Z]\w*$/.test(value)) return Object.hasOwn(byName, value) ? byName[value]! : 0;
  return count(name, value);
}

/** A 64-bit number, as a number or in digits; `most` tells an int64 from a uint64. */
export function integer(name: string, value: unknown, most = 0xffff_ffff_ffff_ffffn): bigint | number {
  if (typeof value === "number" && Number.isInteger(value)) {
    if (Number.isSafeInteger(value)) return value;
    if (Math.abs(value) < 2 ** 64) throw new RoundedNumber();
  }
  if (typeof value === "string" && /^-?\d{1,20}$/.test(value)) {
    const parsed = BigInt(value);
    if (parsed >= -0x8000_0000_0000_0000n && parsed <= most) return parsed;
  }
  throw wrong(name, "a whole number of 64 bits, in digits or as a string");
}

export function lowWord(value: bigint | number): number {
  return typeof value === "number" ? value | 0 : Number(BigInt.asIntN(32, value));
}

export function highWord(value: bigint | number): number {
  return typeof value === "number" ? Math.floor(value / 0x1_0000_0000) : Number(BigInt.asIntN(32, value >> 32n));
}

export function double(name: string, value: unknown): number {
  if (typeof value === "number") return value;
  if (value === "NaN" || value === "Infinity" || value === "-Infinity") return Number(value);
  if (typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value))) return Number(value);
  throw wrong(name, "a number");
}

export function base64(name: string, value: unknown): Buffer {
  const text = string(name, value);
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) throw wrong(name, "base64");
  return Buffer.from(text, "base64");
}

export const ID_BYTES: Buffer = Buffer.alloc(16);

/** Puts an id's bytes into `ID_BYTES` and answers how many; none when the text is not hexadecimal. */
export function id(name: string, value: unknown): number {
  if (value === undefined || value === null) return 0;
  const text = string(name, value);
  if (text.length > 2 * ID_BYTES.length || text.length % 2 === 1) return 0;
  const written = ID_BYTES.write(text, 0, "hex");
  return written * 2 === text.length ? written : 0;
}
