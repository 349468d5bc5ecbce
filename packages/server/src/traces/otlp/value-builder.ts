import { isUtf8 } from "node:buffer";
import { type ByteView, CLOSE, CLOSE_LIST, cutAt, OPEN, OPEN_LIST } from "./json-text.ts";
import { CUT_MARK } from "./limits.ts";

const MARK_BYTES = Buffer.byteLength(CUT_MARK);
const KNOWN_KEYS = 1_024;
const KNOWN_KEY_BYTES = 64;

type JsonObject = Record<string, unknown>;

/**
 * Builds the values that `JSON.parse` would make of the text that `JsonText` writes for the same calls, without the text. Commas
 * and colons say nothing that the order of the calls does not.
 */
export class ValueBuilder {
  muted = false;
  at = 0;
  #open: (JsonObject | unknown[])[] = [];
  #keys: (string | undefined)[] = []; // one for each open container; set when its value comes next
  #known: { bytes: Buffer; key: string }[] = [];

  /** Starts an object and returns it; the calls until `end` fill it. */
  begin(): JsonObject {
    const root = {};
    this.#open = [root];
    this.#keys = [undefined];
    return root;
  }

  byte(byte: number): void {
    if (byte === OPEN || byte === OPEN_LIST) {
      const container = byte === OPEN ? {} : [];
      this.#put(container);
      this.#open.push(container);
      this.#keys.push(undefined);
    } else if (byte === CLOSE || byte === CLOSE_LIST) {
      this.#open.pop();
      this.#keys.pop();
    }
  }

  /** Adds `null`, `true` or `false`. */
  ascii(word: string): void {
    this.#put(word === "null" ? null : word === "true");
  }

  /** Adds the UTF-8 in [from, to), as the next key of an object or as a value. */
  string({ bytes }: ByteView, from: number, to: number, limit: number): void {
    const depth = this.#open.length - 1;
    if (Array.isArray(this.#open[depth]) || this.#keys[depth] !== undefined) {
      this.#put(textOf(bytes, from, to, limit));
    } else {
      this.#keys[depth] =
        to - from <= KNOWN_KEY_BYTES ? this.#knownKey(bytes, from, to) : textOf(bytes, from, to, limit);
    }
  }

  int64(low: number, high: number): void {
    this.#put(high === low >> 31 ? low : high * 0x1_0000_0000 + (low >>> 0));
  }

  double(value: number): void {
    this.#put(Number.isFinite(value) ? value + 0 : String(value)); // JSON has no -0
  }

  base64(bytes: Buffer, from: number, to: number, limit: number): void {
    const cut = Math.ceil((to - from) / 3) * 4 > limit;
    const end = cut ? from + Math.floor((limit - MARK_BYTES) / 4) * 3 : to;
    this.#put(bytes.toString("base64", from, end) + (cut ? CUT_MARK : ""));
  }

  #put(value: unknown): void {
    const depth = this.#open.length - 1;
    const container = this.#open[depth]!;
    if (Array.isArray(container)) {
      container.push(value);
      return;
    }
    const key = this.#keys[depth]!;
    this.#keys[depth] = undefined;
    if (key === "__proto__")
      Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true });
    else container[key] = value;
  }

  /** Returns the key; most keys occur in many spans, and comparing bytes costs less than making a string. */
  #knownKey(bytes: Buffer, from: number, to: number): string {
    const length = to - from;
    if (length === 0) return "";
    const slot = (length * 31 + bytes[from + (length >> 1)]! * 7 + bytes[to - 1]! * 3 + bytes[from]!) % KNOWN_KEYS;
    const known = this.#known[slot];
    if (known !== undefined && known.bytes.length === length) {
      let i = length - 1;
      while (i >= 0 && known.bytes[i] === bytes[from + i]) i--;
      if (i < 0) return known.key;
    }
    const key = bytes.toString("utf8", from, to);
    this.#known[slot] = { bytes: Buffer.from(bytes.subarray(from, to)), key };
    return key;
  }
}

/** Returns the UTF-8 in [from, to), with U+FFFD for other bytes; a text of more than `limit` bytes is cut and marked. */
export function textOf(bytes: Buffer, from: number, to: number, limit: number): string {
  if ((to - from) * 3 <= limit) return bytes.toString("utf8", from, to);
  const sent = bytes.subarray(from, to);
  const valid = isUtf8(sent) ? sent : Buffer.from(sent.toString());
  if (valid.length <= limit) return valid.toString();
  return valid.toString("utf8", 0, cutAt(valid, 0, limit - MARK_BYTES)) + CUT_MARK;
}
