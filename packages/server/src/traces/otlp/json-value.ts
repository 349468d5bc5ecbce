import { codeOf, NEITHER } from "./identity.ts";
import { CLOSE, CLOSE_LIST, COLON, COMMA, OPEN, OPEN_LIST } from "./json-text.ts";
import { highWord, type JsonObject, type JsonWalk, lowWord } from "./json-walk.ts";
import { LIMIT_BYTES, MAX_DEPTH } from "./limits.ts";
import { MalformedBody } from "./malformed-body.ts";
import type { SpanRows } from "./span-rows.ts";

const MEMBERS = new Set(
  ["string", "int", "bool", "double", "array", "kvlist", "bytes"].flatMap((kind) => [`${kind}Value`, `${kind}_value`]),
);

export type JsonValues = {
  attributes: (list: unknown, naming: boolean) => void;
  keyValue: (item: JsonObject, depth: number, naming: boolean) => void;
};

/** Creates the part of the decoder that writes attributes and their values as JSON. */
export function createJsonValues(walk: JsonWalk, rows: SpanRows): JsonValues {
  const { text } = rows;

  /** Writes the members of an attributes object. */
  function attributes(list: unknown, naming: boolean): void {
    let first = true;
    walk.each("attributes", list, (item) => {
      if (!first) text.byte(COMMA);
      first = false;
      keyValue(item, 1, naming);
    });
  }

  /** Writes `"key":value`. */
  function keyValue(item: JsonObject, depth: number, naming: boolean): void {
    const key = item.key === undefined || item.key === null ? "" : walk.string("key", item.key);
    text.stringOf(key, LIMIT_BYTES.key);
    text.byte(COLON);
    const code = naming ? codeOf(key) : NEITHER;
    if (code === NEITHER) {
      anyValue(item.value, depth);
      return;
    }
    const { muted } = text;
    text.muted = false;
    const at = text.at;
    if (anyValue(item.value, depth)) rows.named(code, at);
    text.muted = muted;
  }

  /** Writes a value; returns whether the value can be a name, as strings and integers can. */
  function anyValue(json: unknown, depth: number): boolean {
    let member = "";
    if (json !== undefined && json !== null) {
      const members = walk.object("value", json);
      for (const name in members) if (members[name] !== null && MEMBERS.has(name)) member = name;
    }
    const value = member === "" ? undefined : (json as JsonObject)[member];
    switch (member) {
      case "stringValue":
      case "string_value":
        text.stringOf(walk.string(member, value), rows.valueLimit);
        return true;
      case "intValue":
      case "int_value": {
        const whole = walk.integer(member, value, 0x7fff_ffff_ffff_ffffn);
        text.int64(lowWord(whole), highWord(whole));
        return true;
      }
      case "boolValue":
      case "bool_value":
        text.ascii(String(walk.boolean(member, value)));
        return false;
      case "doubleValue":
      case "double_value":
        text.double(walk.double(member, value));
        return false;
      case "arrayValue":
      case "array_value":
        collection(member, value, depth, OPEN_LIST, CLOSE_LIST);
        return false;
      case "kvlistValue":
      case "kvlist_value":
        collection(member, value, depth, OPEN, CLOSE);
        return false;
      case "bytesValue":
      case "bytes_value": {
        const bytes = walk.base64(member, value);
        text.base64(bytes, 0, bytes.length, rows.valueLimit);
        return false;
      }
      default:
        text.ascii("null");
        return false;
    }
  }

  function collection(name: string, json: unknown, depth: number, open: number, close: number): void {
    if (depth === MAX_DEPTH) throw new MalformedBody(`an attribute's value is nested more than ${MAX_DEPTH} deep`);
    const { values } = walk.object(name, json);
    text.byte(open);
    if (values !== undefined && values !== null) {
      const items = walk.array("values", values);
      for (let i = 0; i < items.length; i++) {
        if (i > 0) text.byte(COMMA);
        if (open === OPEN_LIST) anyValue(items[i], depth + 1);
        else keyValue(walk.object("values", items[i]), depth + 1, false);
      }
    }
    text.byte(close);
  }

  return { attributes, keyValue };
}
