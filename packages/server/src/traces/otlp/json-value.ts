import { codeAt, NEITHER } from "./identity.ts";
import { Members } from "./json-members.ts";
import { ALL_NAMES, NUMBERS, SNAKE_CASE } from "./json-names.ts";
import { ABSENT, ESCAPED } from "./json-tape.ts";
import { CLOSE, CLOSE_LIST, COLON, COMMA, OPEN, OPEN_LIST } from "./json-text.ts";
import type { JsonWalk } from "./json-walk.ts";
import { LIMIT_BYTES, MAX_DEPTH } from "./limits.ts";
import { MalformedBody } from "./malformed-body.ts";
import type { SpanRows } from "./span-rows.ts";

const { stringValue, intValue, boolValue, doubleValue, arrayValue, kvlistValue, bytesValue } = NUMBERS;
const isValueName = (name: number) =>
  (name >= stringValue && name <= bytesValue) || (name >= stringValue + SNAKE_CASE && name <= bytesValue + SNAKE_CASE);

export type JsonValues = {
  attributes: (list: number, naming: boolean) => void;
  keyValue: (item: number, depth: number, naming: boolean) => void;
  optionalString: (name: string, node: number, limit: number) => void;
};

/** Creates the part of the decoder that writes attributes and their values as JSON. */
export function createJsonValues(walk: JsonWalk, rows: SpanRows): JsonValues {
  const { text } = rows;
  const { tape } = walk;
  const pair = new Members("key", "value");
  const collected = new Members("values");

  /** Writes the members of an attributes object. */
  function attributes(list: number, naming: boolean): void {
    if (tape.isNull(list)) return;
    const end = tape.end(walk.enter("attributes", list));
    for (let item = list + 2; item < end; item = tape.after(item)) {
      if (item > list + 2) text.byte(COMMA);
      keyValue(walk.item(item), 1, naming);
    }
    walk.leave();
  }

  /** Writes `"key":value`. */
  function keyValue(item: number, depth: number, naming: boolean): void {
    rows.bounds.part();
    let keyNode = item + 3;
    let value = item + 6;
    if (!isPair(item)) {
      pair.read(tape, item);
      keyNode = pair.value(pair.slots.key);
      value = pair.value(pair.slots.value);
    }
    optionalString("key", keyNode, LIMIT_BYTES.key);
    text.byte(COLON);
    const code = naming ? keyCode(keyNode) : NEITHER;
    if (code === NEITHER) {
      anyValue(value, depth);
      return;
    }
    const { muted } = text;
    text.muted = false;
    const at = text.at;
    if (anyValue(value, depth)) rows.named(code, at);
    text.muted = muted;
  }

  function keyCode(node: number): number {
    const { source, from, to } = walk.optionalString("key", node);
    return codeAt(source.bytes, from, to);
  }

  /** Returns whether an object is a key as a string and a value, in the usual order. */
  function isPair(object: number): boolean {
    const end = tape.end(object);
    return (
      end > object + 6 &&
      tape.name(object + 3) === NUMBERS.key &&
      tape.isString(object + 3) &&
      tape.name(object + 6) === NUMBERS.value &&
      tape.after(object + 6) === end
    );
  }

  /** Writes a value; returns whether the value can be a name, as strings and integers can. */
  function anyValue(node: number, depth: number): boolean {
    const value = tape.isNull(node) ? ABSENT : valueMember(walk.object("value", node));
    if (tape.isNull(value)) {
      text.ascii("null");
      return false;
    }
    const number = tape.name(value);
    const name = ALL_NAMES[number]!;
    switch (number % SNAKE_CASE) {
      case stringValue:
        string(name, value, rows.valueLimit);
        return true;
      case intValue: {
        const { low, high } = walk.integer(name, value, false);
        text.int64(low, high);
        return true;
      }
      case boolValue:
        text.ascii(String(walk.boolean(name, value)));
        return false;
      case doubleValue:
        if (text.muted) walk.checkDouble(name, value);
        else text.double(walk.double(name, value));
        return false;
      case arrayValue:
        collection(name, value, depth, OPEN_LIST, CLOSE_LIST);
        return false;
      case kvlistValue:
        collection(name, value, depth, OPEN, CLOSE);
        return false;
      default: {
        const bytes = walk.base64(name, value);
        text.base64(bytes, 0, bytes.length, rows.valueLimit);
        return false;
      }
    }
  }

  /** Returns the value of the last member with a value that is not null; a single member's value may be null. */
  function valueMember(object: number): number {
    const end = tape.end(object);
    let value = ABSENT;
    for (let member = object + 3; member < end; member = tape.after(member) + 1) {
      if (!isValueName(tape.name(member))) continue;
      if (value !== ABSENT) return lastValue(object);
      value = member;
    }
    return value;
  }

  /** A repeated member keeps its first place and its last value, as in an object of JSON.parse. */
  function lastValue(object: number): number {
    const values = new Map<number, number>();
    const end = tape.end(object);
    for (let member = object + 3; member < end; member = tape.after(member) + 1) {
      if (isValueName(tape.name(member))) values.set(tape.name(member), member);
    }
    return [...values.values()].findLast((value) => !tape.isNull(value)) ?? ABSENT;
  }

  /** Writes a string that is not null. */
  function string(name: string, node: number, limit: number): void {
    walk.checkString(name, node);
    if (text.muted) return;
    const from = tape.from(node);
    const to = tape.end(node);
    if (tape.kind(node) !== ESCAPED && to - from <= limit) text.verbatim(tape.source, from, to);
    else {
      const plain = walk.string(name, node);
      text.string(plain.source, plain.from, plain.to, limit);
    }
  }

  /** Writes a string; an absent one and null are empty. */
  function optionalString(name: string, node: number, limit: number): void {
    if (tape.isNull(node)) text.ascii('""');
    else string(name, node, limit);
  }

  function collection(name: string, node: number, depth: number, open: number, close: number): void {
    if (depth === MAX_DEPTH) throw new MalformedBody(`an attribute's value is nested more than ${MAX_DEPTH} deep`);
    collected.read(tape, walk.object(name, node));
    const values = collected.value(collected.slots.values);
    text.byte(open);
    if (!tape.isNull(values)) {
      const first = walk.list("values", values) + 2;
      const end = tape.end(values);
      for (let item = first; item < end; item = tape.after(item)) {
        if (item > first) text.byte(COMMA);
        if (open === OPEN_LIST) {
          rows.bounds.part();
          anyValue(item, depth + 1);
        } else keyValue(walk.object("values", item), depth + 1, false);
      }
    }
    text.byte(close);
  }

  return { attributes, keyValue, optionalString };
}
