import type { SpanBatch } from "../span-batch.ts";
import { each, object, optionalString, RoundedNumber, count, startWalk, type Json } from "./json-members.ts";
import { checkShape } from "./json-shape.ts";
import { span } from "./json-span.ts";
import { CLOSE, COMMA } from "./json-text.ts";
import { keyValue } from "./json-value.ts";
import { LIMIT_BYTES, ORIGIN_BYTES } from "./limits.ts";
import { MalformedBody } from "./malformed-body.ts";
import { rows, type DecodeContext, type Decoded } from "./span-rows.ts";

const { text, identity } = rows;

/**
 * The same as `decodeProtobuf` from OTLP/JSON: ids in hexadecimal, 64-bit numbers as numbers or strings, member names in
 * camelCase or snake_case, enums by number or name. A null is an absent member.
 */
export function decodeJson(bytes: Buffer, into: SpanBatch, context: DecodeContext): Decoded {
  checkShape(bytes);
  const json = bytes.toString();
  try {
    return attempt(parse(json), into, context);
  } catch (error) {
    if (!(error instanceof RoundedNumber)) throw error;
    return attempt(parse(json, keepDigits), into, context);
  }
}

function attempt(request: unknown, into: SpanBatch, context: DecodeContext): Decoded {
  rows.open(into, context);
  startWalk();
  try {
    const { resourceSpans: camel, resource_spans: snake } = object("", request);
    each("resourceSpans", camel ?? snake, resourceSpans);
    return rows.close()!;
  } catch (error) {
    rows.abandon();
    throw error;
  }
}

function parse(json: string, reviver?: typeof keepDigits): unknown {
  try {
    return JSON.parse(json, reviver);
  } catch (error) {
    throw new MalformedBody(`it is not JSON (${(error as Error).message.slice(0, 200)})`);
  }
}

// A runtime before Node 22 does not hand over a number's text; the digits are then those of the rounded number.
function keepDigits(_name: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number" || !Number.isInteger(value) || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  return source !== undefined && /^-?\d+$/.test(source) ? source : String(BigInt(value));
}

function resourceSpans(item: Json): void {
  const resource = object("resource", item.resource ?? {});
  const at = text.at;
  identity.clear();
  text.ascii('{"attributes":{');
  const dropped = originAttributes(resource, at, true);
  text.byte(CLOSE);
  originEnd(dropped, item);
  rows.resource(at);
  each("scopeSpans", item.scopeSpans ?? item.scope_spans, scopeSpans);
}

function scopeSpans(item: Json): void {
  const scope = object("scope", item.scope ?? {});
  const at = text.at;
  text.ascii('{"name":');
  text.stringOf(optionalString("scope.name", scope.name), LIMIT_BYTES.name);
  text.ascii(',"version":');
  text.stringOf(optionalString("scope.version", scope.version), LIMIT_BYTES.name);
  const some = Array.isArray(scope.attributes) && scope.attributes.length > 0;
  if (some) text.ascii(',"attributes":{');
  const dropped = originAttributes(scope, at, false);
  if (some) text.byte(CLOSE);
  originEnd(dropped, item);
  rows.scope(at);
  each("spans", item.spans, span);
}

/** Writes the members of a resource's or a scope's attributes; answers how many are left out. */
function originAttributes(of: Json, startAt: number, naming: boolean): number {
  let cut = 0;
  let first = true;
  rows.valueLimit = LIMIT_BYTES.resourceValue;
  each("attributes", of.attributes, (item) => {
    if (text.at - startAt > ORIGIN_BYTES) {
      cut++;
      return;
    }
    if (!first) text.byte(COMMA);
    first = false;
    keyValue(item, 1, naming);
  });
  rows.valueLimit = LIMIT_BYTES.value;
  return cut + (count("droppedAttributesCount", of.droppedAttributesCount ?? of.dropped_attributes_count) >>> 0);
}

function originEnd(dropped: number, item: Json): void {
  if (dropped > 0) text.ascii(`,"dropped":${dropped}`);
  const url = optionalString("schemaUrl", item.schemaUrl ?? item.schema_url);
  if (url !== "") {
    text.ascii(',"schema_url":');
    text.stringOf(url, LIMIT_BYTES.name);
  }
  text.byte(CLOSE);
}
