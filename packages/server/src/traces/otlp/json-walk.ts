import { MalformedBody } from "./malformed-body.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
const UINT64_MAX = 2n ** 64n - 1n;

/** Error for a number that JSON.parse may have rounded. */
export class RoundedNumber extends Error {}

const isAbsent = (value: unknown): value is undefined | null => value === undefined || value === null;

/**
 * Records the lists around the current member and the index in each list, so that an error can name the path of the
 * wrong member.
 */
export class JsonWalk {
  /** Low and high word of the last 64-bit number that was read. */
  low = 0;
  high = 0;
  readonly idBytes: Buffer = Buffer.alloc(16);
  readonly #long = new BigInt64Array(1);
  readonly #words = new Int32Array(this.#long.buffer);
  #isExact = false;
  readonly #names: string[] = [];
  readonly #indexes: number[] = [];
  #level = 0;

  /** With `isExact` false, JSON.parse may have rounded numbers of the body. */
  open(isExact: boolean): void {
    this.#isExact = isExact;
    this.#level = 0;
  }

  /** An absent list and null count as empty. */
  each(name: string, list: unknown, visit: (item: JsonObject, index: number) => void): void {
    if (isAbsent(list)) return;
    const items = this.list(name, list);
    const level = this.#level++;
    this.#names[level] = name;
    for (let index = 0; index < items.length; index++) {
      this.#indexes[level] = index;
      visit(this.object("", items[index]), index);
    }
    this.#level--;
  }

  object(name: string, value: unknown): JsonObject {
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw this.#wrong(name, "an object");
    return value as JsonObject;
  }

  optionalObject(name: string, value: unknown): JsonObject {
    return isAbsent(value) ? {} : this.object(name, value);
  }

  list(name: string, value: unknown): readonly unknown[] {
    if (!Array.isArray(value)) throw this.#wrong(name, "an array");
    return value;
  }

  hasItems(value: unknown): boolean {
    return Array.isArray(value) && value.length > 0;
  }

  string(name: string, value: unknown): string {
    if (typeof value !== "string") throw this.#wrong(name, "a string");
    return value;
  }

  optionalString(name: string, value: unknown): string {
    return isAbsent(value) ? "" : this.string(name, value);
  }

  boolean(name: string, value: unknown): boolean {
    if (typeof value !== "boolean") throw this.#wrong(name, "true or false");
    return value;
  }

  count(name: string, value: unknown): number {
    if (isAbsent(value)) return 0;
    const count = typeof value === "string" && /^-?\d{1,10}$/.test(value) ? Number(value) : value;
    if (typeof count !== "number" || !Number.isInteger(count) || count < -0x8000_0000 || count > 0xffff_ffff) {
      throw this.#wrong(name, "a whole number of 32 bits");
    }
    return count;
  }

  enumNumber(name: string, value: unknown, byName: Record<string, number>): number {
    if (typeof value !== "string" || !/^[A-Z]\w*$/.test(value)) return this.count(name, value);
    return Object.hasOwn(byName, value) ? byName[value]! : 0;
  }

  /** Reads a 64-bit number, sent as a number or as digits, into `low` and `high`. */
  integer(name: string, value: unknown, unsigned: boolean): void {
    if (typeof value === "number" && Number.isSafeInteger(value)) {
      this.low = value | 0;
      this.high = Math.floor(value / 0x1_0000_0000) | 0;
      return;
    }
    const whole = this.#whole(value);
    if (whole === undefined || whole < INT64_MIN || whole > (unsigned ? UINT64_MAX : INT64_MAX)) {
      throw this.#wrong(name, "a whole number of 64 bits, in digits or as a string");
    }
    this.#long[0] = whole;
    this.low = this.#words[0]!;
    this.high = this.#words[1]!;
  }

  #whole(value: unknown): bigint | undefined {
    if (typeof value === "string" && /^-?\d{1,20}$/.test(value)) return BigInt(value);
    if (typeof value !== "number" || !Number.isInteger(value)) return undefined;
    if (!this.#isExact) throw new RoundedNumber();
    return BigInt(value);
  }

  time(name: string, value: unknown): void {
    this.integer(name, value ?? 0, true);
  }

  double(name: string, value: unknown): number {
    if (typeof value === "number") return value;
    if (typeof value === "string") {
      if (value === "NaN" || value === "Infinity" || value === "-Infinity") return Number(value);
      if (value.trim() !== "" && Number.isFinite(Number(value))) return Number(value);
    }
    throw this.#wrong(name, "a number");
  }

  base64(name: string, value: unknown): Buffer {
    const text = this.string(name, value);
    if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) throw this.#wrong(name, "base64");
    return Buffer.from(text, "base64");
  }

  /** Writes an id into `idBytes` and returns its length in bytes; 0 when the text is not hexadecimal. */
  id(name: string, value: unknown): number {
    const text = this.optionalString(name, value);
    return /^(?:[\da-f]{2}){1,16}$/i.test(text) ? this.idBytes.write(text, "hex") : 0;
  }

  #wrong(name: string, expected: string): MalformedBody {
    const path = this.#names.slice(0, this.#level).map((list, level) => `${list}[${this.#indexes[level]}]`);
    if (name !== "") path.push(name);
    return new MalformedBody(`${path.join(".") || "it"} must be ${expected}`);
  }
}
