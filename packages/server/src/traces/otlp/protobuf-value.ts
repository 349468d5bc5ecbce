import { codeAt, NEITHER } from "./identity.ts";
import { CLOSE, CLOSE_LIST, COLON, COMMA, OPEN, OPEN_LIST } from "./json-text.ts";
import { LIMIT_BYTES, MAX_DEPTH } from "./limits.ts";
import { MalformedBody } from "./malformed-body.ts";
import type { SpanRows } from "./span-rows.ts";
import { fields, type Wire } from "./wire.ts";

// Tags of the members of a value.
const STRING = 10;
const BOOL = 16;
const INT = 24;
const DOUBLE = 33;
const ARRAY = 42;
const KEY_VALUES = 50;
const BYTES = 58;

const KEY_VALUE = fields(1, 2);
const ANY_VALUE = fields(1, 2, 3, 4, 5, 6, 7);
const VALUES = fields(1);

export type ProtobufValues = {
  attributes: (from: number, end: number, field: number) => void;
  keyValue: (from: number, end: number, depth: number, naming: boolean) => void;
};

export function createProtobufValues(wire: Wire, rows: SpanRows): ProtobufValues {
  const { text, bounds } = rows;

  /** `field` is the tag of an attribute. */
  function attributes(from: number, end: number, field: number): void {
    let first = true;
    wire.at = from;
    while (wire.at < end) {
      const tag = wire.tag(end);
      if (tag !== field) {
        wire.pass(tag, end);
        continue;
      }
      const to = wire.length(end);
      if (!first) text.byte(COMMA);
      first = false;
      keyValue(wire.at, to, 1, false);
      wire.at = to;
    }
  }

  /** When the value occurs more than once, merges its pieces, as protobuf requires. */
  function keyValue(from: number, end: number, depth: number, naming: boolean): void {
    let keyFrom = 0;
    let keyTo = 0;
    let valueFrom = -1;
    let valueTo = -1;
    let pieces: number[] | undefined;
    bounds.part();
    wire.at = from;
    while (wire.at < end) {
      const tag = wire.tag(end);
      if (tag !== 10 && tag !== 18) {
        wire.skip(tag, end, KEY_VALUE);
        continue;
      }
      const to = wire.length(end);
      if (tag === 10) {
        keyFrom = wire.at;
        keyTo = to;
      } else {
        if (valueFrom >= 0) {
          bounds.piece();
          (pieces ??= [valueFrom, valueTo]).push(wire.at, to);
        }
        valueFrom = wire.at;
        valueTo = to;
      }
      wire.at = to;
    }
    text.string(wire.source, keyFrom, keyTo, LIMIT_BYTES.key);
    text.byte(COLON);
    const code = naming ? codeAt(wire.bytes, keyFrom, keyTo) : NEITHER;
    if (code === NEITHER) {
      value(valueFrom, valueTo, pieces, depth);
      return;
    }
    const { muted } = text;
    text.muted = false;
    const at = text.at;
    if (value(valueFrom, valueTo, pieces, depth)) rows.named(code, at);
    text.muted = muted;
  }

  const value = (from: number, to: number, pieces: number[] | undefined, depth: number): boolean =>
    pieces === undefined ? anyValue(from, to, depth) : mergedValue(pieces, depth);

  /** Writes a value. Returns true for a string or an integer, because only these can name a conversation, an agent or a service. */
  function anyValue(from: number, end: number, depth: number): boolean {
    wire.at = from;
    if (from < end) {
      const tag = wire.tag(end);
      const at = wire.at;
      passMember(tag, end);
      if (wire.at === end) return member(tag, at, end, depth);
      return mergedValue([from, end], depth);
    }
    text.ascii("null");
    return false;
  }

  /** Writes a value that was sent in pieces. The last member counts. A repeated list or object continues the earlier one. */
  function mergedValue(pieces: number[], depth: number): boolean {
    let last = 0;
    let runs: number[] = [];
    for (let i = 0; i < pieces.length; i += 2) {
      const end = pieces[i + 1]!;
      wire.at = pieces[i]!;
      while (wire.at < end) {
        const tag = wire.tag(end);
        const at = wire.at;
        if (!passMember(tag, end)) continue;
        if (tag !== last || (tag !== ARRAY && tag !== KEY_VALUES)) runs = [];
        last = tag;
        bounds.piece();
        runs.push(at, wire.at);
      }
    }
    if (last === ARRAY || last === KEY_VALUES) {
      collection(last, runs, depth);
      return false;
    }
    return member(last, runs[0] ?? 0, runs[1] ?? 0, depth);
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
  function member(tag: number, from: number, end: number, depth: number): boolean {
    wire.at = from;
    switch (tag) {
      case STRING:
        wire.length(end);
        text.string(wire.source, wire.at, end, rows.valueLimit);
        return true;
      case INT:
        wire.varint(end);
        text.int64(wire.low, wire.high);
        return true;
      case BOOL:
        wire.varint(end);
        text.ascii((wire.low | wire.high) === 0 ? "false" : "true");
        return false;
      case DOUBLE:
        text.double(wire.source.view.getFloat64(from, true));
        return false;
      case ARRAY:
      case KEY_VALUES:
        collection(tag, [from, end], depth);
        return false;
      case BYTES:
        wire.length(end);
        text.base64(wire.bytes, wire.at, end, rows.valueLimit);
        return false;
      default:
        text.ascii("null");
        return false;
    }
  }

  function collection(tag: number, runs: number[], depth: number): void {
    if (depth === MAX_DEPTH) throw new MalformedBody(`an attribute's value is nested more than ${MAX_DEPTH} deep`);
    let first = true;
    text.byte(tag === ARRAY ? OPEN_LIST : OPEN);
    for (let i = 0; i < runs.length; i += 2) {
      wire.at = runs[i]!;
      const end = wire.length(runs[i + 1]!);
      while (wire.at < end) {
        const inner = wire.tag(end);
        if (inner !== 10) {
          wire.skip(inner, end, VALUES);
          continue;
        }
        const to = wire.length(end);
        if (!first) text.byte(COMMA);
        first = false;
        if (tag === ARRAY) {
          bounds.part();
          anyValue(wire.at, to, depth + 1);
        } else keyValue(wire.at, to, depth + 1, false);
        wire.at = to;
      }
    }
    text.byte(tag === ARRAY ? CLOSE_LIST : CLOSE);
  }

  return { attributes, keyValue };
}
