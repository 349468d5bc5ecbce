import { unescape } from "./json-escapes.ts";
import { type ByteView, byteViewOf, NOTHING } from "./json-text.ts";

const KEPT_BYTES = 1 << 20;
const INITIAL_BYTES = 4 << 10;

/** The UTF-8 of a string in [from, to): bytes of the JSON text, or a copy of them without escapes. */
export class JsonString {
  source: ByteView = NOTHING;
  from = 0;
  to = 0;
  #copy = byteViewOf(Buffer.allocUnsafeSlow(INITIAL_BYTES));

  set(source: ByteView, from: number, to: number): void {
    this.source = source;
    this.from = from;
    this.to = to;
  }

  unescape(bytes: Buffer, from: number, to: number): void {
    if (to - from > this.#copy.bytes.length) this.#copy = byteViewOf(Buffer.allocUnsafeSlow(to - from));
    this.set(this.#copy, 0, unescape(bytes, from, to, this.#copy.bytes));
  }

  isEmpty(): boolean {
    return this.from === this.to;
  }

  clear(): void {
    this.set(NOTHING, 0, 0);
    if (this.#copy.bytes.length > KEPT_BYTES) this.#copy = byteViewOf(Buffer.allocUnsafeSlow(INITIAL_BYTES));
  }

  toString(): string {
    return this.source.bytes.toString("utf8", this.from, this.to);
  }
}
