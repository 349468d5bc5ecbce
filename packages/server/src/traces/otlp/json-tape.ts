import { ESCAPES, HEX_DIGITS } from "./json-escapes.ts";
import { ALL_NAMES, isName, nameLength, nameNumber, UNKNOWN_NAME } from "./json-names.ts";
import { JsonString } from "./json-string.ts";
import {
  BACKSLASH,
  type ByteView,
  byteViewOf,
  CLOSE,
  CLOSE_LIST,
  COLON,
  COMMA,
  NOTHING,
  OPEN,
  OPEN_LIST,
  QUOTE,
  special,
} from "./json-text.ts";
import { MAX_DEPTH } from "./limits.ts";
import { MalformedBody } from "./malformed-body.ts";

/**
 * The kinds of nodes. An INTEGER is a number without fraction and exponent. A STRING has no escape, a QUOTED string only
 * those that we write too (`\"`, `\\` and `\n`), and an ESCAPED string has others.
 */
export const NULL = 0;
export const TRUE = 1;
export const FALSE = 2;
export const INTEGER = 3;
export const NUMBER = 4;
export const STRING = 5;
export const QUOTED = 6;
export const ESCAPED = 7;
export const OBJECT = 8;
export const LIST = 9;

/** The node of an absent member. */
export const ABSENT = -1;

const LETTER_N = 110;
const KIND_BITS = 4;
const KIND_MASK = (1 << KIND_BITS) - 1;
const INITIAL_WORDS = 1 << 12;
const KEPT_WORDS = 1 << 19;
const FOUR_SPACES = 0x2020_2020;
// Only large bodies are limited: a body of mostly containers, and deep nesting, cost many times their bytes.
const LIMITED_FROM_BYTES = 4 << 20;
const BYTES_PER_CONTAINER = 8;
// The nesting of an attribute of the maximum depth: two containers for each level, and the containers around the
// attribute.
const DEPTH_MAX = 2 * MAX_DEPTH + 64;
/** A larger body is not parsed only for the words of its refusal. */
const EXPLAINED_BYTES = 1 << 20;

/**
 * A JSON text as a list of nodes, which refer to its bytes: it creates no object and no string. A node is the index of two
 * words: where its text begins, with its kind, and where its text ends. A container has no end in the text but the index of
 * the node after its content. In an object, each node follows one word, the number of the member's name.
 */
export class JsonTape {
  bytes = NOTHING.bytes;
  source = NOTHING;
  #view = NOTHING.view;
  #nodes = new Int32Array(INITIAL_WORDS);
  #kind = NULL;
  /** The name that followed each name last: most names of a body need no search. */
  readonly #followers = new Uint8Array(ALL_NAMES.length);
  readonly #unescaped = new JsonString();

  kind(node: number): number {
    return this.#nodes[node]! & KIND_MASK;
  }

  from(node: number): number {
    return this.#nodes[node]! >>> KIND_BITS;
  }

  end(node: number): number {
    return this.#nodes[node + 1]!;
  }

  /** Returns the node after a value. */
  after(node: number): number {
    return this.kind(node) >= OBJECT ? this.#nodes[node + 1]! : node + 2;
  }

  /** Returns the number of the name of the member whose value is at a node. */
  name(node: number): number {
    return this.#nodes[node - 1]!;
  }

  isNull(node: number): boolean {
    return node === ABSENT || (this.#nodes[node]! & KIND_MASK) === NULL;
  }

  isString(node: number): boolean {
    const kind = this.#nodes[node]! & KIND_MASK;
    return kind >= STRING && kind <= ESCAPED;
  }

  isNumber(node: number): boolean {
    const kind = this.#nodes[node]! & KIND_MASK;
    return kind === INTEGER || kind === NUMBER;
  }

  /** Forgets the text. */
  release(): void {
    this.#adopt(NOTHING);
    this.#unescaped.clear();
    if (this.#nodes.length > KEPT_WORDS) this.#nodes = new Int32Array(INITIAL_WORDS);
  }

  /** Reads a JSON text in UTF-8, whose first node is then 0; refuses what JSON.parse refuses. */
  read(body: Buffer): void {
    this.#adopt(byteViewOf(body));
    const bytes = this.bytes;
    const end = bytes.length;
    const isLimited = end >= LIMITED_FROM_BYTES;
    let containersLeft = isLimited ? end / BYTES_PER_CONTAINER : Infinity;
    let depthLeft = isLimited ? DEPTH_MAX : Infinity;
    const followers = this.#followers;
    let lastName = 0;
    let nodes = this.#nodes;
    let count = 0;
    let open = ABSENT; // the container around `at`; the second word of an open container is the container around it
    let inObject = false;
    let at = 0;
    for (;;) {
      if (at >= end || bytes[at]! <= 0x20) at = this.#skipSpace(at);
      if (count + 4 > nodes.length) nodes = this.#grow();
      const byte = bytes[at]!;
      if (inObject) {
        if (byte !== QUOTE) throw this.#malformed();
        let name = followers[lastName]!;
        const nameEnd = at + 1 + nameLength(name);
        if (nameEnd < end && bytes[nameEnd] === QUOTE && isName(name, this.#view, at + 1)) at = nameEnd + 1;
        else {
          const to = this.#string(at + 1);
          name = this.#kind === STRING ? nameNumber(this.#view, at + 1, to) : this.#escapedName(at + 1, to);
          if (name !== UNKNOWN_NAME) followers[lastName] = name;
          at = to + 1;
        }
        nodes[count++] = name;
        if (name !== UNKNOWN_NAME) lastName = name;
        if (at >= end || bytes[at] !== COLON) at = this.#colon(at);
        at++;
        if (at >= end || bytes[at]! <= 0x20) at = this.#skipSpace(at);
      }
      const first = bytes[at]!;
      if (first === QUOTE) {
        const to = this.#string(at + 1);
        nodes[count] = ((at + 1) << KIND_BITS) | this.#kind;
        nodes[count + 1] = to;
        count += 2;
        at = to + 1;
      } else if (first === OPEN || first === OPEN_LIST) {
        if (--depthLeft < 0) throw new MalformedBody(`it is nested more than ${DEPTH_MAX} deep`);
        if (--containersLeft < 0) throw new MalformedBody("it consists mostly of empty objects and lists");
        inObject = first === OPEN;
        nodes[count] = (at << KIND_BITS) | (inObject ? OBJECT : LIST);
        nodes[count + 1] = open;
        open = count;
        count += 2;
        at++;
        if (at >= end || bytes[at]! <= 0x20) at = this.#skipSpace(at);
        if (bytes[at] !== (inObject ? CLOSE : CLOSE_LIST)) continue;
      } else {
        const to = this.#word(at, first);
        nodes[count] = (at << KIND_BITS) | this.#kind;
        nodes[count + 1] = to;
        count += 2;
        at = to;
      }
      for (;;) {
        if (open === ABSENT) {
          if (this.#afterSpace(at) < end) throw this.#malformed();
          return;
        }
        if (at >= end || bytes[at]! <= 0x20) at = this.#skipSpace(at);
        const next = bytes[at++]!;
        if (next === COMMA) break;
        if (next !== (inObject ? CLOSE : CLOSE_LIST)) throw this.#malformed();
        const around = nodes[open + 1]!;
        nodes[open + 1] = count;
        open = around;
        inObject = open !== ABSENT && (nodes[open]! & KIND_MASK) === OBJECT;
        depthLeft++;
      }
    }
  }

  #adopt(source: ByteView): void {
    this.source = source;
    this.bytes = source.bytes;
    this.#view = source.view;
  }

  #escapedName(from: number, to: number): number {
    this.#unescaped.unescape(this.bytes, from, to);
    const { source } = this.#unescaped;
    return nameNumber(source.view, 0, this.#unescaped.to);
  }

  #colon(from: number): number {
    const at = this.#skipSpace(from);
    if (this.bytes[at] !== COLON) throw this.#malformed();
    return at;
  }

  /** Returns the offset of the next byte that is not space. */
  #skipSpace(from: number): number {
    const at = this.#afterSpace(from);
    if (at >= this.bytes.length) throw this.#malformed();
    return at;
  }

  #afterSpace(from: number): number {
    const bytes = this.bytes;
    const view = this.#view;
    const end = bytes.length;
    let at = from;
    while (at < end) {
      const byte = bytes[at]!;
      if (byte > 0x20 || (byte !== 0x20 && byte !== 10 && byte !== 13 && byte !== 9)) break;
      at++;
      while (at + 4 <= end && view.getInt32(at, true) === FOUR_SPACES) at += 4;
    }
    return at;
  }

  /** Returns the offset of the quote that ends the string, and sets its kind. */
  #string(from: number): number {
    const bytes = this.bytes;
    const view = this.#view;
    const end = bytes.length;
    let at = from;
    let kind = STRING;
    while (at < end) {
      if (at + 4 <= end) {
        const found = special(view.getInt32(at, true));
        if (found === 0) {
          at += 4;
          continue;
        }
        at += (31 - Math.clz32(found & -found)) >> 3;
      }
      const byte = bytes[at]!;
      if (byte === QUOTE) {
        this.#kind = kind;
        return at;
      }
      if (byte === BACKSLASH) {
        const letter = at + 1 < end ? bytes[at + 1]! : 0;
        if (letter === QUOTE || letter === BACKSLASH || letter === LETTER_N) {
          if (kind === STRING) kind = QUOTED;
          at += 2;
        } else {
          kind = ESCAPED;
          at = this.#escape(at + 1);
        }
      } else if (byte < 0x20) break;
      else at++;
    }
    throw this.#malformed();
  }

  /** Returns the offset after an escape, whose backslash is before `at`. */
  #escape(at: number): number {
    const { bytes } = this;
    const byte = at < bytes.length ? bytes[at]! : 0;
    if (byte !== 0x75) {
      if (ESCAPES[byte] === 0) throw this.#malformed();
      return at + 1;
    }
    if (at + 4 >= bytes.length) throw this.#malformed();
    for (let i = at + 1; i <= at + 4; i++) if (HEX_DIGITS[bytes[i]!]! < 0) throw this.#malformed();
    return at + 5;
  }

  /** Returns the offset after a number, true, false or null, and sets its kind. */
  #word(at: number, first: number): number {
    if (first === 0x6e) return this.#literal(at, "null", NULL);
    if (first === 0x74) return this.#literal(at, "true", TRUE);
    if (first === 0x66) return this.#literal(at, "false", FALSE);
    const { bytes } = this;
    let i = first === 0x2d ? at + 1 : at;
    const wholeAt = i;
    i = this.#digits(i);
    if (bytes[wholeAt] === 0x30 && i > wholeAt + 1) throw this.#malformed();
    this.#kind = INTEGER;
    if (i < bytes.length && bytes[i] === 0x2e) {
      this.#kind = NUMBER;
      i = this.#digits(i + 1);
    }
    if (i < bytes.length && (bytes[i]! | 0x20) === 0x65) {
      this.#kind = NUMBER;
      i++;
      if (i < bytes.length && (bytes[i] === 0x2b || bytes[i] === 0x2d)) i++;
      i = this.#digits(i);
    }
    return i;
  }

  /** Returns the offset after one or more digits. */
  #digits(from: number): number {
    const { bytes } = this;
    let at = from;
    while (at < bytes.length && bytes[at]! >= 0x30 && bytes[at]! <= 0x39) at++;
    if (at === from) throw this.#malformed();
    return at;
  }

  #literal(at: number, text: string, kind: number): number {
    const { bytes } = this;
    if (at + text.length > bytes.length) throw this.#malformed();
    for (let i = 1; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) throw this.#malformed();
    this.#kind = kind;
    return at + text.length;
  }

  #grow(): Int32Array<ArrayBuffer> {
    const larger = new Int32Array(this.#nodes.length * 2);
    larger.set(this.#nodes);
    this.#nodes = larger;
    return larger;
  }

  /** Returns the refusal in the words of JSON.parse. */
  #malformed(): MalformedBody {
    if (this.bytes.length > EXPLAINED_BYTES) return new MalformedBody("it is not JSON");
    try {
      JSON.parse(this.bytes.toString());
    } catch (error) {
      return new MalformedBody(`it is not JSON (${(error as Error).message.slice(0, 200)})`);
    }
    return new MalformedBody("it is not JSON");
  }
}
