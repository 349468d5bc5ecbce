import { placeInJson } from "../../base/json-place.ts";
import type { SpanBatch } from "../span-batch.ts";
import { checkJsonBody } from "./body-bounds.ts";
import { createJsonSpans } from "./json-span.ts";
import { CLOSE, COMMA } from "./json-text.ts";
import { createJsonValues } from "./json-value.ts";
import { type JsonObject, JsonWalk, RoundedNumber } from "./json-walk.ts";
import { LIMIT_BYTES, ORIGIN_BYTES } from "./limits.ts";
import { MalformedBody } from "./malformed-body.ts";
import type { BodyDecoder, DecodeContext, DecodeResult, SpanRows } from "./span-rows.ts";

const LONG_NAMES = [
  "intValue",
  "int_value",
  "startTimeUnixNano",
  "start_time_unix_nano",
  "endTimeUnixNano",
  "end_time_unix_nano",
  "timeUnixNano",
  "time_unix_nano",
].map((name) => name.replaceAll(/./g, orEscaped));
/** Matches numbers in 64-bit members that may have too many digits for a double. */
const LONG_NUMBERS = new RegExp(`(?<="(?:${LONG_NAMES.join("|")})"\\s*:\\s*)-?\\d{16,20}(?=[\\s,}])`, "g");

function parseBody(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw new MalformedBody(`it is not valid JSON${placeInJson(error)}`);
  }
}

/** 64-bit numbers with too many digits for a double become strings of digits. */
const parseExactly = (json: string): unknown => JSON.parse(json.replaceAll(LONG_NUMBERS, '"$&"'));

/** Returns a pattern for one letter of a member's name, because JSON may contain the letter as an escape. */
function orEscaped(letter: string): string {
  const code = letter.charCodeAt(0).toString(16);
  return `(?:${letter}|\\\\u00(?:${code}|${code.toUpperCase()}))`;
}

/**
 * The decoder accepts ids in hexadecimal, 64-bit numbers as numbers or strings, member names in camelCase or
 * snake_case, and enums by number or name. A null member counts as absent. If a member is repeated, its last value
 * counts.
 */
export function createJsonDecoder(rows: SpanRows): BodyDecoder {
  const walk = new JsonWalk();
  const { text, identity } = rows;
  const values = createJsonValues(walk, rows);
  const { span } = createJsonSpans(walk, rows, values);

  /**
   * Decodes the body a second time when a number has too many digits for JSON.parse, which is only detected during
   * decoding.
   */
  function decode(bytes: Buffer, batch: SpanBatch, context: DecodeContext): DecodeResult {
    const body = bytes.toString();
    if (context.bounded) checkJsonBody(bytes);
    const parsed = parseBody(body);
    try {
      return attempt(parsed, false, batch, context);
    } catch (error) {
      if (!(error instanceof RoundedNumber)) throw error;
      return attempt(parseExactly(body), true, batch, context);
    }
  }

  function attempt(request: unknown, isExact: boolean, batch: SpanBatch, context: DecodeContext): DecodeResult {
    rows.open(batch, context);
    walk.open(isExact);
    try {
      const { resourceSpans: sent, resource_spans: other } = walk.object("", request);
      walk.each("resourceSpans", sent ?? other, resourceSpans);
      return rows.close()!;
    } catch (error) {
      rows.abandon();
      throw error;
    }
  }

  function resourceSpans(item: JsonObject): void {
    rows.bounds.part();
    const at = text.at;
    identity.clear();
    text.ascii('{"attributes":{');
    const dropped = originAttributes(walk.optionalObject("resource", item["resource"]), at, true);
    text.byte(CLOSE);
    originEnd(dropped, item);
    rows.resource(at);
    walk.each("scopeSpans", item["scopeSpans"] ?? item["scope_spans"], scopeSpans);
  }

  function scopeSpans(item: JsonObject): void {
    rows.bounds.part();
    const scope = walk.optionalObject("scope", item["scope"]);
    const at = text.at;
    text.ascii('{"name":');
    text.stringOf(walk.optionalString("scope.name", scope["name"]), LIMIT_BYTES.name);
    text.ascii(',"version":');
    text.stringOf(walk.optionalString("scope.version", scope["version"]), LIMIT_BYTES.name);
    const some = walk.hasItems(scope["attributes"]);
    if (some) text.ascii(',"attributes":{');
    const dropped = originAttributes(scope, at, false);
    if (some) text.byte(CLOSE);
    originEnd(dropped, item);
    rows.scope(at);
    walk.each("spans", item["spans"], span);
  }

  function originAttributes(origin: JsonObject, startAt: number, naming: boolean): number {
    let cut = 0;
    rows.valueLimit = LIMIT_BYTES.resourceValue;
    walk.each("attributes", origin["attributes"], (item, index) => {
      if (text.at - startAt > ORIGIN_BYTES) {
        cut++;
        return;
      }
      if (index > 0) text.byte(COMMA);
      values.keyValue(item, 1, naming);
    });
    rows.valueLimit = LIMIT_BYTES.value;
    const sent = origin["droppedAttributesCount"] ?? origin["dropped_attributes_count"];
    return cut + (walk.count("droppedAttributesCount", sent) >>> 0);
  }

  function originEnd(dropped: number, item: JsonObject): void {
    if (dropped > 0) text.ascii(`,"dropped":${dropped}`);
    const schemaUrl = walk.optionalString("schemaUrl", item["schemaUrl"] ?? item["schema_url"]);
    if (schemaUrl !== "") {
      text.ascii(',"schema_url":');
      text.stringOf(schemaUrl, LIMIT_BYTES.name);
    }
    text.byte(CLOSE);
  }

  return { decode };
}
