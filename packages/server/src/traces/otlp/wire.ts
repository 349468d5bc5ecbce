import { byteViewOf, type ByteView } from "./json-text.ts";
import { MalformedBody } from "./malformed-body.ts";

const VARINT = 0;
const FIXED64 = 1;
const LENGTH = 2;
const FIXED32 = 5;

export const fields = (...numbers: number[]) => numbers.reduce((bits, number) => bits | (1 << number), 0);

/**
 * Reads protobuf's wire format strictly. Each read gets the end of its message, and throws when it would read past that end. A tag is
 * eight times the field number plus the wire type: 10 is field 1 as bytes, 18 is field 2 as bytes.
 */
export class Wire {
  source: ByteView = byteViewOf(Buffer.alloc(0));
  bytes: Buffer = this.source.bytes;
  at = 0;
  /** Last number that `varint`, `fixed64` or `fixed32` read, in two signed 32-bit words. */
  low = 0;
  high = 0;

  open(bytes: Buffer): void {
    this.adopt(byteViewOf(bytes));
  }

  adopt(source: ByteView): void {
    this.source = source;
    this.bytes = source.bytes;
    this.at = 0;
  }

  close(): void {
    this.open(Buffer.alloc(0));
  }

  tag(end: number): number {
    if (this.at < end) {
      const byte = this.bytes[this.at]!;
      if (byte < 0x80) {
        if (byte < 8) throw broken(this.at, "a field number 0");
        this.at++;
        return byte;
      }
    }
    this.varint(end);
    if (this.high !== 0 || this.low >>> 3 === 0) throw broken(this.at, "a field number out of range");
    return this.low >>> 0;
  }

  /** Returns the end of the payload, which begins at `at`. */
  length(end: number): number {
    let length: number;
    if (this.at < end && this.bytes[this.at]! < 0x80) {
      length = this.bytes[this.at++]!;
    } else {
      this.varint(end);
      length = this.high === 0 ? this.low >>> 0 : Infinity;
    }
    if (length > end - this.at) throw broken(this.at, "a length past the end of its message");
    return this.at + length;
  }

  varint(end: number): void {
    const bytes = this.bytes;
    let at = this.at;
    let low = 0;
    let high = 0;
    for (let shift = 0; at < end; shift += 7) {
      const byte = bytes[at++]!;
      if (shift < 28) low |= (byte & 0x7f) << shift;
      else if (shift === 28) {
        low |= (byte & 0x7f) << 28;
        high = (byte & 0x7f) >> 4;
      } else high |= (byte & 0x7f) << (shift - 32);
      if (byte < 0x80) {
        if (shift === 63 && byte > 1) throw broken(at, "a number of more than 64 bits");
        this.at = at;
        this.low = low;
        this.high = high;
        return;
      }
      if (shift === 63) throw broken(at, "a number of more than ten bytes");
    }
    throw broken(at, "an unterminated number");
  }

  fixed64(end: number): void {
    const { at, bytes } = this;
    if (end - at < 8) throw broken(at, "a number past the end of its message");
    this.low = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    this.high = bytes[at + 4]! | (bytes[at + 5]! << 8) | (bytes[at + 6]! << 16) | (bytes[at + 7]! << 24);
    this.at = at + 8;
  }

  uint64(end: number): bigint {
    return this.source.view.getBigUint64(this.#eight(end), true);
  }

  float64(end: number): number {
    return this.source.view.getFloat64(this.#eight(end), true);
  }

  #eight(end: number): number {
    const { at } = this;
    if (end - at < 8) throw broken(at, "a number past the end of its message");
    this.at = at + 8;
    return at;
  }

  fixed32(end: number): void {
    const { at, bytes } = this;
    if (end - at < 4) throw broken(at, "a number past the end of its message");
    this.low = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    this.high = 0;
    this.at = at + 4;
  }

  /** Skips an unknown field. Throws for a field in `fields`, because the caller passes such a field only when its wire type is wrong. */
  skip(tag: number, end: number, fields: number): void {
    const number = tag >>> 3;
    if (number < 32 && (fields >>> number) & 1) throw broken(this.at, `a wrong wire type for field ${number}`);
    this.pass(tag, end);
  }

  /** Skips any field. */
  pass(tag: number, end: number): void {
    switch (tag & 7) {
      case VARINT:
        return this.varint(end);
      case FIXED64:
        return this.#skipBytes(8, end);
      case LENGTH:
        this.at = this.length(end);
        return;
      case FIXED32:
        return this.#skipBytes(4, end);
      default:
        throw broken(this.at, `wire type ${tag & 7}`);
    }
  }

  #skipBytes(bytes: number, end: number): void {
    if (end - this.at < bytes) throw broken(this.at, "a number past the end of its message");
    this.at += bytes;
  }
}

const broken = (at: number, problem: string) =>
  new MalformedBody(`${problem} at byte ${at}; send JSON as \`application/json\``);
