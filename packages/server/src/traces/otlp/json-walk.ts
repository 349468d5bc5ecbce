import { HEX_DIGITS } from "./json-escapes.ts";
import { digits, Integer64, MINUS } from "./json-integer.ts";
import { JsonString } from "./json-string.ts";
import { ABSENT, FALSE, INTEGER, JsonTape, LIST, NUMBER, OBJECT, STRING, TRUE } from "./json-tape.ts";
import { MalformedBody } from "./malformed-body.ts";

/**
 * Reads the members of a body's objects and checks their types. It knows the lists that it is in and the index in each, so
 * that a refusal names the path of the wrong member.
 */
export class JsonWalk {
  readonly tape = new JsonTape();
  /** The last string that was read. */
  readonly text = new JsonString();
  /** The last 64-bit number that was read. */
  readonly whole = new Integer64();
  /** The bytes of the last `id`. */
  readonly idBytes: Buffer = Buffer.alloc(16);
  // The lists around the member that is read, and the index in each.
  readonly #names: string[] = [];
  readonly #indexes: number[] = [];
  #level = 0;

  /** Reads a body and forgets the path of an earlier one. */
  open(bytes: Buffer): void {
    this.#level = 0;
    this.tape.read(bytes);
  }

  close(): void {
    this.tape.release();
    this.text.clear();
  }

  /** Visits the objects of a list; an absent list and null count as empty. */
  each(name: string, list: number, visit: (item: number) => void): void {
    const { tape } = this;
    if (tape.isNull(list)) return;
    const end = tape.end(this.enter(name, list));
    for (let item = list + 2; item < end; item = tape.after(item)) visit(this.item(item));
    this.leave();
  }

  /** Begins the path of the items of a list. */
  enter(name: string, list: number): number {
    this.list(name, list);
    this.#names[this.#level] = name;
    this.#indexes[this.#level++] = -1;
    return list;
  }

  /** Continues with the next item of the list, an object. */
  item(node: number): number {
    this.#indexes[this.#level - 1]!++;
    return this.object("", node);
  }

  leave(): void {
    this.#level--;
  }

  object(name: string, node: number): number {
    if (this.tape.kind(node) !== OBJECT) throw this.#wrong(name, "an object");
    return node;
  }

  /** Returns an object; ABSENT for an absent one and for null. */
  optionalObject(name: string, node: number): number {
    return this.tape.isNull(node) ? ABSENT : this.object(name, node);
  }

  /** Returns whether a node is a list that is not empty. */
  hasItems(node: number): boolean {
    return !this.tape.isNull(node) && this.tape.kind(node) === LIST && this.tape.end(node) > node + 2;
  }

  list(name: string, node: number): number {
    if (this.tape.kind(node) !== LIST) throw this.#wrong(name, "an array");
    return node;
  }

  /** Reads a string into `text`. */
  string(name: string, node: number): JsonString {
    this.checkString(name, node);
    const { tape, text } = this;
    const from = tape.from(node);
    const to = tape.end(node);
    if (tape.kind(node) === STRING) text.set(tape.source, from, to);
    else text.unescape(tape.bytes, from, to);
    return text;
  }

  checkString(name: string, node: number): void {
    if (!this.tape.isString(node)) throw this.#wrong(name, "a string");
  }

  /** Reads a string into `text`; an absent one and null are empty. */
  optionalString(name: string, node: number): JsonString {
    if (!this.tape.isNull(node)) return this.string(name, node);
    this.text.set(this.tape.source, 0, 0);
    return this.text;
  }

  boolean(name: string, node: number): boolean {
    const kind = this.tape.kind(node);
    if (kind !== TRUE && kind !== FALSE) throw this.#wrong(name, "true or false");
    return kind === TRUE;
  }

  /** Returns a 32-bit number from a number or digits; 0 when it is absent. */
  count(name: string, node: number): number {
    if (this.tape.isNull(node)) return 0;
    const isDigits = this.tape.isString(node) && /^-?\d{1,10}$/.test(String(this.string(name, node)));
    const count = isDigits ? Number(String(this.text)) : this.tape.isNumber(node) ? this.#number(node) : NaN;
    if (!Number.isInteger(count) || count < -0x8000_0000 || count > 0xffff_ffff) {
      throw this.#wrong(name, "a whole number of 32 bits");
    }
    return count;
  }

  /** Returns an enum's number from its number or name; 0 for an unknown name. */
  enumNumber(name: string, node: number, byName: Record<string, number>): number {
    if (!this.tape.isNull(node) && this.tape.isString(node)) {
      const value = String(this.string(name, node));
      if (/^[A-Z]\w*$/.test(value)) return Object.hasOwn(byName, value) ? byName[value]! : 0;
    }
    return this.count(name, node);
  }

  /** Reads a 64-bit number from a number or digits into `whole`. */
  integer(name: string, node: number, unsigned: boolean): Integer64 {
    const { tape, whole } = this;
    let isWhole = false;
    if (this.tape.isString(node)) {
      const { source, from, to } = this.string(name, node);
      isWhole = whole.read(source.bytes, from, to, unsigned);
    } else if (tape.kind(node) === INTEGER) {
      isWhole = whole.read(tape.bytes, tape.from(node), tape.end(node), unsigned);
    } else if (tape.kind(node) === NUMBER) isWhole = whole.set(this.#number(node), unsigned);
    if (!isWhole) throw this.#wrong(name, "a whole number of 64 bits, in digits or as a string");
    return whole;
  }

  /** Reads a time into `whole`; an absent one is 0. */
  time(name: string, node: number): Integer64 {
    if (!this.tape.isNull(node)) return this.integer(name, node, true);
    this.whole.low = this.whole.high = 0;
    return this.whole;
  }

  checkDouble(name: string, node: number): void {
    if (!this.tape.isNumber(node)) this.double(name, node);
  }

  double(name: string, node: number): number {
    if (this.tape.isNumber(node)) return this.#number(node);
    if (this.tape.isString(node)) {
      const value = String(this.string(name, node));
      if (value === "NaN" || value === "Infinity" || value === "-Infinity") return Number(value);
      if (value.trim() !== "" && Number.isFinite(Number(value))) return Number(value);
    }
    throw this.#wrong(name, "a number");
  }

  base64(name: string, node: number): Buffer {
    const text = String(this.string(name, node));
    if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) throw this.#wrong(name, "base64");
    return Buffer.from(text, "base64");
  }

  /** Writes an id into `idBytes` and returns its length in bytes; 0 when the text is not hexadecimal. */
  id(name: string, node: number): number {
    const { source, from, to } = this.optionalString(name, node);
    const length = (to - from) / 2;
    if (!Number.isInteger(length) || length > this.idBytes.length) return 0;
    for (let i = 0; i < length; i++) {
      const byte = (HEX_DIGITS[source.bytes[from + 2 * i]!]! << 4) | HEX_DIGITS[source.bytes[from + 2 * i + 1]!]!;
      if (byte < 0) return 0;
      this.idBytes[i] = byte;
    }
    return length;
  }

  #number(node: number): number {
    const { tape } = this;
    const from = tape.from(node);
    const to = tape.end(node);
    if (tape.kind(node) === INTEGER && to - from < 10 && tape.bytes[from] !== MINUS) {
      return digits(tape.bytes, from, to);
    }
    return Number(tape.bytes.toString("latin1", from, to));
  }

  #wrong(name: string, expected: string): MalformedBody {
    const path = this.#names.slice(0, this.#level).map((list, level) => `${list}[${this.#indexes[level]}]`);
    if (name !== "") path.push(name);
    return new MalformedBody(`${path.join(".") || "it"} must be ${expected}`);
  }
}
