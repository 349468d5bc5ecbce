import { codeOf, NEITHER } from "./identity.ts";
import { CLOSE, CLOSE_LIST, COLON, COMMA, OPEN, OPEN_LIST } from "./json-text.ts";
import type { JsonObject, JsonWalk } from "./json-walk.ts";
import { LIMIT_BYTES, MAX_DEPTH } from "./limits.ts";
import { MalformedBody } from "./malformed-body.ts";
import type { SpanRows } from "./span-rows.ts";

export type JsonValues = {
  attributes: (list: unknown, naming: boolean) => void;
  keyValue: (item: JsonObject, depth: number, naming: boolean) => void;
};

const VALUE_NAMES: ReadonlySet<string> = new Set(
  ["string", "int", "bool", "double", "array", "kvlist", "bytes"].flatMap((type) => [`${type}Value`, `${type}_value`]),
);

export function createJsonValues(walk: JsonWalk, rows: SpanRows): JsonValues {
  const { text } = rows;

  function attributes(list: unknown, naming: boolean): void {
    walk.each("attributes", list, (item, index) => {
      if (index > 0) text.byte(COMMA);
      keyValue(item, 1, naming);
    });
  }

  function keyValue(item: JsonObject, depth: number, naming: boolean): void {
    rows.bounds.part();
    const key = walk.optionalString("key", item["key"]);
    text.stringOf(key, LIMIT_BYTES.key);
    text.byte(COLON);
    const code = naming ? codeOf(key) : NEITHER;
    if (code === NEITHER) {
      anyValue(item["value"], depth);
      return;
    }
    const { muted } = text;
    text.muted = false;
    const at = text.at;
    if (anyValue(item["value"], depth)) rows.named(code, at);
    text.muted = muted;
  }

  /** Writes a value. Returns true for a string or an integer, because only these can name a conversation, an agent or a service. */
  function anyValue(sent: unknown, depth: number): boolean {
    const object = walk.optionalObject("value", sent);
    const name = valueName(object);
    const value = object[name];
    switch (name) {
      case "stringValue":
      case "string_value":
        text.stringOf(walk.string(name, value), rows.valueLimit);
        return true;
      case "intValue":
      case "int_value":
        walk.integer(name, value, false);
        text.int64(walk.low, walk.high);
        return true;
      case "boolValue":
      case "bool_value":
        text.ascii(String(walk.boolean(name, value)));
        return false;
      case "doubleValue":
      case "double_value":
        text.double(walk.double(name, value));
        return false;
      case "arrayValue":
      case "array_value":
        collection(name, value, depth, OPEN_LIST, CLOSE_LIST);
        return false;
      case "kvlistValue":
      case "kvlist_value":
        collection(name, value, depth, OPEN, CLOSE);
        return false;
      case "bytesValue":
      case "bytes_value": {
        const bytes = walk.base64(name, value);
        text.base64(bytes, 0, bytes.length, rows.valueLimit);
        return false;
      }
      default:
        text.ascii("null");
        return false;
    }
  }

  /** Returns the name of the last type member whose value is not null, such as `stringValue`; "" when there is none. */
  function valueName(object: JsonObject): string {
    let found = "";
    for (const name in object) if (object[name] !== null && VALUE_NAMES.has(name)) found = name;
    return found;
  }

  function collection(name: string, value: unknown, depth: number, open: number, close: number): void {
    if (depth === MAX_DEPTH) throw new MalformedBody(`an attribute's value is nested more than ${MAX_DEPTH} deep`);
    const { values } = walk.object(name, value);
    text.byte(open);
    for (const [index, item] of walk.list("values", values ?? []).entries()) {
      if (index > 0) text.byte(COMMA);
      if (open === OPEN_LIST) {
        rows.bounds.part();
        anyValue(item, depth + 1);
      } else keyValue(walk.object("values", item), depth + 1, false);
    }
    text.byte(close);
  }

  return { attributes, keyValue };
}
