import { MalformedBody } from "./malformed-body.ts";

export type JsonObject = Record<string, unknown>;

/** Thrown when JSON.parse has rounded a 64-bit number; the caller then parses the body again with exact numbers. */
export class RoundedNumber extends Error {}

/**
 * Reads the members of a parsed body and checks their types. It knows the lists that it is in and the index in each, so
 * that a refusal names the path of the wrong member.
 */
export class JsonWalk {
  /** The bytes of the last `id`. */
  readonly idBytes: Buffer = Buffer.alloc(16);
  readonly #lists: string[] = [];
  readonly #indexes: number[] = [];

  /** Forgets the path of an earlier body. */
  start(): void {
    this.#lists.length = 0;
    this.#indexes.length = 0;
  }

  /** Visits the objects of a list; an absent list and null count as empty. */
  each(name: string, list: unknown, visit: (item: JsonObject) => void): void {
    if (list === undefined || list === null) return;
    const items = this.array(name, list);
    const level = this.#lists.push(name) - 1;
    for (let i = 0; i < items.length; i++) {
      this.#indexes[level] = i;
      visit(this.object("", items[i]));
    }
    this.#lists.pop();
  }

  object(name: string, value: unknown): JsonObject {
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw this.#wrong(name, "an object");
    return value as JsonObject;
  }

  array(name: string, value: unknown): unknown[] {
    if (!Array.isArray(value)) throw this.#wrong(name, "an array");
    return value;
  }

  string(name: string, value: unknown): string {
    if (typeof value !== "string") throw this.#wrong(name, "a string");
    return value;
  }

  /** Returns a string; an absent one and null are empty. */
  optionalString(name: string, value: unknown): string {
    return value === undefined || value === null ? "" : this.string(name, value);
  }

  boolean(name: string, value: unknown): boolean {
    if (typeof value !== "boolean") throw this.#wrong(name, "true or false");
    return value;
  }

  /** Returns a 32-bit number from a number or digits; 0 when it is absent. */
  count(name: string, value: unknown): number {
    if (value === undefined || value === null) return 0;
    const parsed = typeof value === "string" && /^-?\d{1,10}$/.test(value) ? Number(value) : value;
    if (typeof parsed !== "number" || !Number.isInteger(parsed) || parsed < -0x8000_0000 || parsed > 0xffff_ffff) {
      throw this.#wrong(name, "a whole number of 32 bits");
    }
    return parsed;
  }

  /** Returns an enum's number from its number or name; 0 for an unknown name. */
  enumNumber(name: string, value: unknown, byName: Record<string, number>): number {
    if (typeof value === "string" && /^[A-Z]\w*$/.test(value)) {
      return Object.hasOwn(byName, value) ? byName[value]! : 0;
    }
    return this.count(name, value);
  }

  /** Returns a 64-bit number from a number or digits; `max` is the maximum of an int64 or of a uint64. */
  integer(name: string, value: unknown, max = 0xffff_ffff_ffff_ffffn): bigint | number {
    if (typeof value === "number" && Number.isInteger(value)) {
      if (Number.isSafeInteger(value)) return value;
      if (Math.abs(value) < 2 ** 64) throw new RoundedNumber();
    }
    if (typeof value === "string" && /^-?\d{1,20}$/.test(value)) {
      const parsed = BigInt(value);
      if (parsed >= -0x8000_0000_0000_0000n && parsed <= max) return parsed;
    }
    throw this.#wrong(name, "a whole number of 64 bits, in digits or as a string");
  }

  double(name: string, value: unknown): number {
    if (typeof value === "number") return value;
    if (value === "NaN" || value === "Infinity" || value === "-Infinity") return Number(value);
    if (typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value))) return Number(value);
    throw this.#wrong(name, "a number");
  }

  base64(name: string, value: unknown): Buffer {
    const text = this.string(name, value);
    if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) throw this.#wrong(name, "base64");
    return Buffer.from(text, "base64");
  }

  /** Writes an id into `idBytes` and returns its length in bytes; 0 when the text is not hexadecimal. */
  id(name: string, value: unknown): number {
    if (value === undefined || value === null) return 0;
    const text = this.string(name, value);
    if (text.length > 2 * this.idBytes.length || text.length % 2 === 1) return 0;
    const bytes = this.idBytes.write(text, 0, "hex");
    return bytes * 2 === text.length ? bytes : 0;
  }

  #wrong(name: string, expected: string): MalformedBody {
    const path = this.#lists.map((list, level) => `${list}[${this.#indexes[level]}]`);
    if (name !== "") path.push(name);
    return new MalformedBody(`${path.join(".") || "it"} must be ${expected}`);
  }
}

export function lowWord(value: bigint | number): number {
  return typeof value === "number" ? value | 0 : Number(BigInt.asIntN(32, value));
}

export function highWord(value: bigint | number): number {
  return typeof value === "number" ? Math.floor(value / 0x1_0000_0000) : Number(BigInt.asIntN(32, value >> 32n));
}
