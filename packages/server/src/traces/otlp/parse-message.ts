import { isUtf8 } from "node:buffer";
import { LAZY_KEYS, LazyText } from "../lazy-text.ts";
import type { StoredSpan } from "../stored-span.ts";
import { type ByteView, cutAt } from "./json-text.ts";
import { CUT_MARK, LIMIT_BYTES, MAX_DEPTH } from "./limits.ts";
import { MalformedBody } from "./malformed-body.ts";
import { SharedTexts } from "./shared-texts.ts";
import { fields, Wire } from "./wire.ts";

const MARK_BYTES = Buffer.byteLength(CUT_MARK);
const SHARED_BYTES = 24;
const LAZY_BYTES = 64;

// Like the decoder, the parser rejects these fields when their wire type is wrong.
const SPAN = fields(1, 2, 4, 5, 6, 7, 8, 9, 11, 13, 15);
const STATUS = fields(2, 3);
const EVENT = fields(1, 2, 3);
const LINK = fields(1, 2, 3, 4);
const KEY_VALUE = fields(1, 2);
const ANY_VALUE = fields(1, 2, 3, 4, 5, 6, 7);
const VALUES = fields(1);

// Tags of the members of a value.
const STRING = 10;
const BOOL = 16;
const INT = 24;
const DOUBLE = 33;
const ARRAY = 42;
const KEY_VALUES = 50;
const BYTES = 58;

export type SpanOrigin = Pick<StoredSpan, "resource" | "scopeName" | "scopeVersion">;

export type SpanMessage = { body: ByteView; from: number; to: number; origin: SpanOrigin };

type Attributes = Record<string, unknown>;

const STATUSES = ["unset", "ok", "error"] as const;
const NO_SPAN_ID = "0".repeat(16);

/**
 * Creates a function that parses the message of a span in one pass. The result is the same as when the decoder writes JSON that is then
 * parsed. Long values of `LAZY_KEYS` are not decoded. The message must be valid for the decoder. For other messages, the result is
 * incomplete, or the function throws MalformedBody.
 */
export function createSpanMessageParser(): (message: SpanMessage) => StoredSpan {
  const wire = new Wire();
  const texts = new SharedTexts("utf8");
  const ids = new SharedTexts("hex");
  let bytes: Buffer = wire.bytes;

  function text(to: number, limit: number): string {
    const from = wire.at;
    wire.at = to;
    return to - from <= SHARED_BYTES ? texts.of(bytes, from, to) : textOf(bytes, from, to, limit);
  }

  function key(to: number): string {
    const from = wire.at;
    wire.at = to;
    return to - from <= LIMIT_BYTES.key ? texts.of(bytes, from, to) : textOf(bytes, from, to, LIMIT_BYTES.key);
  }

  /** An id of another length becomes an empty string. */
  function id(to: number, length: number): string {
    const from = wire.at;
    wire.at = to;
    return to - from === length ? ids.of(bytes, from, to) : "";
  }

  function attribute(object: Attributes, end: number, depth: number): void {
    let name = "";
    let from = -1;
    let to = -1;
    let pieces: number[] | undefined;
    while (wire.at < end) {
      const tag = wire.tag(end);
      if (tag === STRING) name = key(wire.length(end));
      else if (tag === 18) {
        if (from >= 0) pieces ??= [from, to];
        to = wire.length(end);
        from = wire.at;
        pieces?.push(from, to);
        wire.at = to;
      } else wire.skip(tag, end, KEY_VALUE);
    }
    let read: unknown = null;
    if (pieces !== undefined) read = mergedValue(pieces, depth);
    else if (from >= 0) {
      wire.at = from;
      read = lazyText(name, to) ?? value(to, depth);
    }
    wire.at = end;
    if (name === "__proto__")
      Object.defineProperty(object, name, { value: read, writable: true, enumerable: true, configurable: true });
    else object[name] = read;
  }

  function lazyText(name: string, end: number): LazyText | undefined {
    const { at } = wire;
    if (end - at <= LAZY_BYTES || bytes[at] !== STRING || (end - at) * 3 > LIMIT_BYTES.value) return undefined;
    if (!LAZY_KEYS.has(name)) return undefined;
    wire.at = at + 1;
    if (wire.length(end) === end) return new LazyText(bytes, wire.at, end);
    wire.at = at;
    return undefined;
  }

  function value(end: number, depth: number): unknown {
    const from = wire.at;
    if (from === end) return null;
    const tag = wire.tag(end);
    const at = wire.at;
    if (tag === STRING && wire.length(end) === end) return text(end, LIMIT_BYTES.value);
    wire.at = at;
    passMember(tag, end);
    return wire.at === end ? member(tag, at, end, depth) : mergedValue([from, end], depth);
  }

  /**
   * Merges a value that protobuf sent in several pieces. The last member counts. A repeated list or object continues the earlier
   * one. The content of a list that another member replaces is not parsed, because the decoder accepts any content there.
   */
  function mergedValue(pieces: readonly number[], depth: number): unknown {
    let last = 0;
    let runs: number[] = [];
    for (let piece = 0; piece < pieces.length; piece += 2) {
      const end = pieces[piece + 1]!;
      wire.at = pieces[piece]!;
      while (wire.at < end) {
        const tag = wire.tag(end);
        const at = wire.at;
        if (!passMember(tag, end)) continue;
        if (tag !== last || (tag !== ARRAY && tag !== KEY_VALUES)) runs = [];
        last = tag;
        runs.push(at, wire.at);
      }
    }
    const whole = member(last, runs[0] ?? 0, runs[1] ?? 0, depth);
    for (let run = 2; run < runs.length; run += 2) {
      wire.at = runs[run]!;
      const end = wire.length(runs[run + 1]!);
      if (last === ARRAY) list(whole as unknown[], end, depth);
      else object(whole as Attributes, end, depth);
    }
    wire.at = pieces.at(-1)!;
    return whole;
  }

  /** Returns whether the field is a member of a value. */
  function passMember(tag: number, end: number): boolean {
    switch (tag) {
      case STRING:
      case BOOL:
      case INT:
      case DOUBLE:
      case ARRAY:
      case KEY_VALUES:
      case BYTES:
        wire.pass(tag, end);
        return true;
      default:
        wire.skip(tag, end, ANY_VALUE);
        return false;
    }
  }

  /** [from, end) is the member's field without the tag. */
  function member(tag: number, from: number, end: number, depth: number): unknown {
    wire.at = from;
    switch (tag) {
      case STRING:
        return text(wire.length(end), LIMIT_BYTES.value);
      case BOOL:
        wire.varint(end);
        return (wire.low | wire.high) !== 0;
      case INT:
        wire.varint(end);
        return wire.high === wire.low >> 31 ? wire.low : wire.high * 0x1_0000_0000 + (wire.low >>> 0);
      case DOUBLE:
        return double(wire.float64(end));
      case ARRAY:
        return list([], wire.length(end), depth);
      case KEY_VALUES:
        return object({}, wire.length(end), depth);
      case BYTES:
        return base64(wire.length(end));
      default:
        wire.at = end;
        return null;
    }
  }

  function list(items: unknown[], end: number, depth: number): unknown[] {
    if (depth === MAX_DEPTH) throw tooDeep();
    while (wire.at < end) {
      const tag = wire.tag(end);
      if (tag === STRING) items.push(value(wire.length(end), depth + 1));
      else wire.skip(tag, end, VALUES);
    }
    return items;
  }

  function object(members: Attributes, end: number, depth: number): Attributes {
    if (depth === MAX_DEPTH) throw tooDeep();
    while (wire.at < end) {
      const tag = wire.tag(end);
      if (tag === STRING) attribute(members, wire.length(end), depth + 1);
      else wire.skip(tag, end, VALUES);
    }
    return members;
  }

  function base64(to: number): string {
    const from = wire.at;
    wire.at = to;
    const cut = Math.ceil((to - from) / 3) * 4 > LIMIT_BYTES.value;
    const end = cut ? from + Math.floor((LIMIT_BYTES.value - MARK_BYTES) / 4) * 3 : to;
    return bytes.toString("base64", from, end) + (cut ? CUT_MARK : "");
  }

  function event(end: number): StoredSpan["events"][number] {
    const read = { timeNs: 0n, name: "", attributes: {} as Attributes };
    while (wire.at < end) {
      const tag = wire.tag(end);
      if (tag === 9) read.timeNs = wire.uint64(end);
      else if (tag === 18) read.name = text(wire.length(end), LIMIT_BYTES.name);
      else if (tag === 26) attribute(read.attributes, wire.length(end), 1);
      else wire.skip(tag, end, EVENT);
    }
    return read;
  }

  function link(end: number): unknown {
    let [trace, span, state] = ["", "", ""];
    let attributes: Attributes | undefined;
    while (wire.at < end) {
      const tag = wire.tag(end);
      if (tag === 10) trace = id(wire.length(end), 16);
      else if (tag === 18) span = id(wire.length(end), 8);
      else if (tag === 26) state = text(wire.length(end), LIMIT_BYTES.traceState);
      else if (tag === 34) attribute((attributes ??= {}), wire.length(end), 1);
      else wire.skip(tag, end, LINK);
    }
    return {
      trace_id: trace,
      span_id: span,
      ...(state !== "" && { trace_state: state }),
      ...(attributes !== undefined && { attributes }),
    };
  }

  function status(span: StoredSpan, end: number): void {
    while (wire.at < end) {
      const tag = wire.tag(end);
      if (tag === 24) {
        wire.varint(end);
        span.status = STATUSES[wire.low] ?? "unset";
      } else if (tag === 18) span.statusMessage = text(wire.length(end), LIMIT_BYTES.statusMessage) || null;
      else wire.skip(tag, end, STATUS);
    }
  }

  return ({ body, from, to: end, origin: { resource, scopeName, scopeVersion } }) => {
    if (wire.source !== body) wire.adopt(body);
    bytes = body.bytes;
    wire.at = from;
    const span: StoredSpan = {
      traceId: "",
      spanId: "",
      parentSpanId: null,
      name: "",
      kind: 0,
      startNs: 0n,
      endNs: null,
      status: "unset",
      statusMessage: null,
      attributes: {},
      events: [],
      links: [],
      resource,
      scopeName,
      scopeVersion,
    };
    while (wire.at < end) {
      const tag = wire.tag(end);
      switch (tag) {
        case 74:
          attribute(span.attributes, wire.length(end), 1);
          break;
        case 10:
          span.traceId = id(wire.length(end), 16);
          break;
        case 18:
          span.spanId = id(wire.length(end), 8);
          break;
        case 34: {
          const parent = id(wire.length(end), 8);
          span.parentSpanId = parent === "" || parent === NO_SPAN_ID ? null : parent;
          break;
        }
        case 42:
          span.name = text(wire.length(end), LIMIT_BYTES.name);
          break;
        case 48:
          wire.varint(end);
          span.kind = wire.low > 0 && wire.low <= 5 ? wire.low : 0;
          break;
        case 57:
          span.startNs = wire.uint64(end);
          break;
        case 65:
          span.endNs = wire.uint64(end) || null;
          break;
        case 90:
          span.events.push(event(wire.length(end)));
          break;
        case 106:
          span.links.push(link(wire.length(end)));
          break;
        case 122:
          status(span, wire.length(end));
          break;
        default:
          wire.skip(tag, end, SPAN);
      }
    }
    return span;
  };
}

/** Returns the double in the form that JSON gives it: 0 instead of -0, and a text for a number that is not finite. */
const double = (value: number): number | string => (Number.isFinite(value) ? value + 0 : String(value));

/** Cuts a text of more than `limit` bytes and adds `CUT_MARK`. */
export function textOf(bytes: Buffer, from: number, to: number, limit: number): string {
  if ((to - from) * 3 <= limit) return bytes.toString("utf8", from, to);
  const sent = bytes.subarray(from, to);
  const valid = isUtf8(sent) ? sent : Buffer.from(sent.toString());
  if (valid.length <= limit) return valid.toString();
  return valid.toString("utf8", 0, cutAt(valid, 0, limit - MARK_BYTES)) + CUT_MARK;
}

const tooDeep = () => new MalformedBody(`an attribute's value is nested more than ${MAX_DEPTH} deep`);
