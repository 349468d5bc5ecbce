import { isUtf8 } from "node:buffer";
import type { SpanBatch } from "../span-batch.ts";
import { CUT_MARK, MAX_TEXT_BYTES } from "./limits.ts";
import { MalformedBody } from "./malformed-body.ts";

const MARK = Buffer.from(CUT_MARK);
export const QUOTE = 34;
export const BACKSLASH = 92;
export const OPEN = 123;
export const CLOSE = 125;
export const OPEN_LIST = 91;
export const CLOSE_LIST = 93;
export const COMMA = 44;
export const COLON = 58;
const HEX = Buffer.from("0123456789abcdef");

export type ByteView = { bytes: Buffer; view: DataView };

export const byteViewOf = (bytes: Buffer): ByteView => ({
  bytes,
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
});

const NOTHING: ByteView = byteViewOf(Buffer.alloc(0));

export class JsonText {
  at = 0;
  /** Offset and length of the last text that `plain` wrote. */
  plainAt = 0;
  plainLength = 0;
  /**
   * Whether to check each text and to write U+FFFD for bytes that are not UTF-8. This is slow, so it is on only for bodies with such
   * bytes.
   */
  repairing = false;
  /** Whether to write only the texts of `plain`. True when a body is only checked, because its other texts are then not stored. */
  muted = false;
  heap: Buffer = NOTHING.bytes;
  #view: DataView = NOTHING.view;
  #batch!: SpanBatch;
  #start = 0;
  #scratch = byteViewOf(Buffer.allocUnsafeSlow(16 << 10));

  open(batch: SpanBatch, repairing: boolean, muted: boolean): void {
    this.#batch = batch;
    this.repairing = repairing;
    this.muted = muted;
    this.#start = batch.heapUsed;
    this.at = batch.heapUsed;
    this.#adopt(batch.heap);
  }

  /** Makes the written bytes part of the batch, and releases the batch. Bytes without a `close` are discarded. */
  close(): void {
    this.#batch.heapUsed = this.at;
    this.release();
  }

  release(): void {
    this.#batch = undefined as never;
    this.heap = NOTHING.bytes;
    this.#view = NOTHING.view;
    if (this.#scratch.bytes.length > 1 << 20) this.#scratch = byteViewOf(Buffer.allocUnsafeSlow(16 << 10));
  }

  isUtf8(): boolean {
    return isUtf8(this.heap.subarray(this.#start, this.at));
  }

  byte(byte: number): void {
    if (this.muted) return;
    if (this.at === this.heap.length) this.#grow(1);
    this.heap[this.at++] = byte;
  }

  ascii(text: string): void {
    if (this.muted) return;
    if (this.at + text.length > this.heap.length) this.#grow(text.length);
    const heap = this.heap;
    let at = this.at;
    for (let i = 0; i < text.length; i++) heap[at++] = text.charCodeAt(i);
    this.at = at;
  }

  string(source: ByteView, from: number, to: number, limit: number): void {
    if (this.muted) return;
    if (this.repairing && !isUtf8(source.bytes.subarray(from, to))) {
      const repaired = byteViewOf(Buffer.from(source.bytes.toString("utf8", from, to)));
      this.string(repaired, 0, repaired.bytes.length, limit);
      return;
    }
    const cut = to - from > limit;
    if (cut) to = cutAt(source.bytes, from, from + limit - MARK.length);
    const room = (to - from) * 6 + MARK.length + 2;
    if (this.at + room > this.heap.length) this.#grow(room);
    this.heap[this.at++] = QUOTE;
    this.#escaped(source, from, to);
    if (cut) this.#mark();
    this.heap[this.at++] = QUOTE;
  }

  stringOf(text: string, limit: number): void {
    if (this.muted) return;
    const scratch = this.#encoded(text, limit);
    this.string(scratch, 0, this.#encodedLength, limit);
  }

  /**
   * Writes a text without escapes, for a column. A zero byte follows the text, so that an incomplete character at its end cannot join the
   * next text.
   */
  plain(source: ByteView, from: number, to: number, limit: number): void {
    if (this.repairing && !isUtf8(source.bytes.subarray(from, to))) {
      const repaired = byteViewOf(Buffer.from(source.bytes.toString("utf8", from, to)));
      this.plain(repaired, 0, repaired.bytes.length, limit);
      return;
    }
    const cut = to - from > limit;
    if (cut) to = cutAt(source.bytes, from, from + limit - MARK.length);
    const room = to - from + MARK.length + 1;
    if (this.at + room > this.heap.length) this.#grow(room);
    this.plainAt = this.at;
    this.#copy(source, from, to);
    if (cut) this.#mark();
    this.plainLength = this.at - this.plainAt;
    this.heap[this.at++] = 0;
  }

  plainOf(text: string, limit: number): void {
    const scratch = this.#encoded(text, limit);
    this.plain(scratch, 0, this.#encodedLength, limit);
  }

  int64(low: number, high: number): void {
    if (this.muted) return;
    if (high === low >> 31) this.#int32(low);
    else if (high >= -0x20_0000 && high < 0x20_0000) this.ascii(String(high * 0x1_0000_0000 + (low >>> 0)));
    else this.ascii(String((BigInt(high) << 32n) | BigInt(low >>> 0)));
  }

  /** Writes an unsigned 64-bit number as a JSON string, like the times in OTLP/JSON. */
  uint64String(low: number, high: number): void {
    if (this.muted) return;
    this.byte(QUOTE);
    if (high >= 0) this.int64(low, high);
    else this.ascii(String((BigInt(high >>> 0) << 32n) | BigInt(low >>> 0)));
    this.byte(QUOTE);
  }

  double(value: number): void {
    if (this.muted) return;
    if (Number.isFinite(value)) this.ascii(String(value));
    else this.ascii(`"${value}"`);
  }

  base64(bytes: Buffer, from: number, to: number, limit: number): void {
    if (this.muted) return;
    const cut = Math.ceil((to - from) / 3) * 4 > limit;
    if (cut) to = from + Math.floor((limit - MARK.length) / 4) * 3;
    const text = bytes.toString("base64", from, to);
    const room = text.length + MARK.length + 2;
    if (this.at + room > this.heap.length) this.#grow(room);
    this.heap[this.at++] = QUOTE;
    this.at += this.heap.write(text, this.at, "latin1");
    if (cut) this.#mark();
    this.heap[this.at++] = QUOTE;
  }

  hexString(bytes: Buffer, from: number, to: number): void {
    if (this.muted) return;
    this.byte(QUOTE);
    for (let i = from; i < to; i++) {
      this.byte(HEX[bytes[i]! >> 4]!);
      this.byte(HEX[bytes[i]! & 15]!);
    }
    this.byte(QUOTE);
  }

  toString(from: number): string {
    return this.heap.toString("utf8", from, this.at);
  }

  #int32(value: number): void {
    if (this.at + 11 > this.heap.length) this.#grow(11);
    const heap = this.heap;
    let rest = value;
    if (value < 0) {
      heap[this.at++] = 45;
      rest = -value;
    }
    let digits = 1;
    for (let bound = 10; digits < 10 && rest >= bound; bound *= 10) digits++;
    this.at += digits;
    for (let at = this.at - 1; digits > 0; digits--) {
      const next = Math.floor(rest / 10);
      heap[at--] = 48 + rest - next * 10;
      rest = next;
    }
  }

  #copy({ bytes, view }: ByteView, from: number, to: number): void {
    if (to - from >= 64) {
      this.at += bytes.copy(this.heap, this.at, from, to);
      return;
    }
    const heap = this.heap;
    const heapView = this.#view;
    let at = this.at;
    let i = from;
    for (; i + 4 <= to; i += 4, at += 4) heapView.setInt32(at, view.getInt32(i, true), true);
    for (; i < to; i++) heap[at++] = bytes[i]!;
    this.at = at;
  }

  #escaped(source: ByteView, from: number, to: number): void {
    const { bytes, view } = source;
    const heapView = this.#view;
    let at = this.at;
    let i = from;
    while (i + 8 <= to) {
      const a = view.getInt32(i, true);
      const b = view.getInt32(i + 4, true);
      if ((special(a) | special(b)) === 0) {
        heapView.setInt32(at, a, true);
        heapView.setInt32(at + 4, b, true);
        at += 8;
      } else {
        this.at = at;
        this.#escapedSlowly(bytes, i, i + 8);
        at = this.at;
      }
      i += 8;
    }
    const rest = to - i;
    if (rest >= 4) {
      const a = view.getInt32(i, true);
      const b = view.getInt32(to - 4, true);
      if ((special(a) | special(b)) === 0) {
        heapView.setInt32(at, a, true);
        heapView.setInt32(at + rest - 4, b, true);
        this.at = at + rest;
        return;
      }
    }
    this.at = at;
    if (rest > 0) this.#escapedSlowly(bytes, i, to);
  }

  #escapedSlowly(bytes: Buffer, from: number, to: number): void {
    const heap = this.heap;
    let at = this.at;
    for (let i = from; i < to; i++) {
      const byte = bytes[i]!;
      if (byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH) {
        heap[at++] = byte;
        continue;
      }
      heap[at++] = BACKSLASH;
      if (byte >= 0x20) heap[at++] = byte;
      else if (byte === 10) heap[at++] = 110;
      else {
        heap[at++] = 117;
        heap[at++] = 48;
        heap[at++] = 48;
        heap[at++] = HEX[byte >> 4]!;
        heap[at++] = HEX[byte & 15]!;
      }
    }
    this.at = at;
  }

  #mark(): void {
    this.at += MARK.copy(this.heap, this.at);
  }

  #encodedLength = 0;

  /**
   * Returns a text in UTF-8; its length is in `#encodedLength`. Encodes only the first part of a text that exceeds the limit, but enough
   * to exceed it.
   */
  #encoded(whole: string, limit: number): ByteView {
    const text = whole.length > limit ? whole.slice(0, limit + 1) : whole;
    if (text.length * 3 > this.#scratch.bytes.length)
      this.#scratch = byteViewOf(Buffer.allocUnsafeSlow(text.length * 3));
    const scratch = this.#scratch;
    this.#encodedLength = 0;
    if (text.length < 32) {
      let i = 0;
      for (let code; i < text.length && (code = text.charCodeAt(i)) < 0x80; i++) scratch.bytes[i] = code;
      this.#encodedLength = i;
      if (i === text.length) return scratch;
    }
    this.#encodedLength = scratch.bytes.write(text, 0, "utf8");
    return scratch;
  }

  #grow(bytes: number): void {
    if (this.at - this.#start + bytes > MAX_TEXT_BYTES) {
      throw new MalformedBody(`it turns into more than ${MAX_TEXT_BYTES >> 20} MiB of text; send it in smaller parts`);
    }
    this.#batch.heapUsed = this.at;
    this.#batch.reserve(bytes);
    this.#adopt(this.#batch.heap);
  }

  #adopt(heap: Buffer): void {
    this.heap = heap;
    this.#view = new DataView(heap.buffer, heap.byteOffset, heap.byteLength);
  }
}

/**
 * Returns a value other than 0 when one of the four bytes is below 0x20, a quote or a backslash. Each subtraction sets the top bit of
 * such a byte. A borrow may also set the top bit of an ordinary byte beside it.
 */
const special = (word: number): number =>
  ((word - 0x20202020) | ((word ^ 0x22222222) - 0x01010101) | ((word ^ 0x5c5c5c5c) - 0x01010101)) & ~word & 0x80808080;

/** Returns the last offset at or before `end` that does not split a character. */
export function cutAt(bytes: Buffer, from: number, end: number): number {
  let at = end;
  while (at > from && at > end - 3 && (bytes[at]! & 0xc0) === 0x80) at--;
  return at;
}
