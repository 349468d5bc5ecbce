import type { SpanBatch } from "../span-batch.ts";
import { checkShape } from "./json-shape.ts";
import { createJsonSpans } from "./json-span.ts";
import { CLOSE, COMMA } from "./json-text.ts";
import { createJsonValues } from "./json-value.ts";
import { type JsonObject, JsonWalk, RoundedNumber } from "./json-walk.ts";
import { LIMIT_BYTES, ORIGIN_BYTES } from "./limits.ts";
import { MalformedBody } from "./malformed-body.ts";
import type { BodyDecoder, DecodeContext, DecodeResult, SpanRows } from "./span-rows.ts";

/**
 * Creates the decoder of OTLP/JSON: ids in hexadecimal, 64-bit numbers as numbers or strings, member names in camelCase or
 * snake_case, enums by number or name. A member that is null counts as absent.
 */
export function createJsonDecoder(rows: SpanRows): BodyDecoder {
  const walk = new JsonWalk();
  const { text, identity } = rows;
  const values = createJsonValues(walk, rows);
  const { span } = createJsonSpans(walk, rows, values);

  function decode(bytes: Buffer, batch: SpanBatch, context: DecodeContext): DecodeResult {
    checkShape(bytes);
    const json = bytes.toString();
    try {
      return attempt(parse(json), batch, context);
    } catch (error) {
      if (!(error instanceof RoundedNumber)) throw error;
      return attempt(parse(json, keepDigits), batch, context);
    }
  }

  function attempt(request: unknown, batch: SpanBatch, context: DecodeContext): DecodeResult {
    rows.open(batch, context);
    walk.start();
    try {
      const { resourceSpans: camel, resource_spans: snake } = walk.object("", request);
      walk.each("resourceSpans", camel ?? snake, resourceSpans);
      return rows.close()!;
    } catch (error) {
      rows.abandon();
      throw error;
    }
  }

  function resourceSpans(item: JsonObject): void {
    const resource = walk.object("resource", item.resource ?? {});
    const at = text.at;
    identity.clear();
    text.ascii('{"attributes":{');
    const dropped = originAttributes(resource, at, true);
    text.byte(CLOSE);
    originEnd(dropped, item);
    rows.resource(at);
    walk.each("scopeSpans", item.scopeSpans ?? item.scope_spans, scopeSpans);
  }

  function scopeSpans(item: JsonObject): void {
    const scope = walk.object("scope", item.scope ?? {});
    const at = text.at;
    text.ascii('{"name":');
    text.stringOf(walk.optionalString("scope.name", scope.name), LIMIT_BYTES.name);
    text.ascii(',"version":');
    text.stringOf(walk.optionalString("scope.version", scope.version), LIMIT_BYTES.name);
    const some = Array.isArray(scope.attributes) && scope.attributes.length > 0;
    if (some) text.ascii(',"attributes":{');
    const dropped = originAttributes(scope, at, false);
    if (some) text.byte(CLOSE);
    originEnd(dropped, item);
    rows.scope(at);
    walk.each("spans", item.spans, span);
  }

  /** Writes the attributes of a resource or scope; returns how many are dropped. */
  function originAttributes(origin: JsonObject, startAt: number, naming: boolean): number {
    let cut = 0;
    let first = true;
    rows.valueLimit = LIMIT_BYTES.resourceValue;
    walk.each("attributes", origin.attributes, (item) => {
      if (text.at - startAt > ORIGIN_BYTES) {
        cut++;
        return;
      }
      if (!first) text.byte(COMMA);
      first = false;
      values.keyValue(item, 1, naming);
    });
    rows.valueLimit = LIMIT_BYTES.value;
    return (
      cut +
      (walk.count("droppedAttributesCount", origin.droppedAttributesCount ?? origin.dropped_attributes_count) >>> 0)
    );
  }

  function originEnd(dropped: number, item: JsonObject): void {
    if (dropped > 0) text.ascii(`,"dropped":${dropped}`);
    const url = walk.optionalString("schemaUrl", item.schemaUrl ?? item.schema_url);
    if (url !== "") {
      text.ascii(',"schema_url":');
      text.stringOf(url, LIMIT_BYTES.name);
    }
    text.byte(CLOSE);
  }

  return { decode };
}

function parse(json: string, reviver?: typeof keepDigits): unknown {
  try {
    return JSON.parse(json, reviver);
  } catch (error) {
    throw new MalformedBody(`it is not JSON (${(error as Error).message.slice(0, 200)})`);
  }
}

// Before version 22, Node does not pass the text of a number; the digits are then those of the rounded number.
function keepDigits(_name: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number" || !Number.isInteger(value) || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  return source !== undefined && /^-?\d+$/.test(source) ? source : String(BigInt(value));
}
