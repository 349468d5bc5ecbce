import { isUtf8 } from "node:buffer";
import type { SpanBatch } from "../span-batch.ts";
import { Members } from "./json-members.ts";
import { createJsonSpans } from "./json-span.ts";
import { CLOSE, COMMA } from "./json-text.ts";
import { createJsonValues } from "./json-value.ts";
import { JsonWalk } from "./json-walk.ts";
import { LIMIT_BYTES, ORIGIN_BYTES } from "./limits.ts";
import type { BodyDecoder, DecodeContext, DecodeResult, SpanRows } from "./span-rows.ts";

/**
 * Creates the decoder of OTLP/JSON: ids in hexadecimal, 64-bit numbers as numbers or strings, member names in camelCase or
 * snake_case, enums by number or name. A member that is null counts as absent, and of a repeated member the last counts.
 */
export function createJsonDecoder(rows: SpanRows): BodyDecoder {
  const walk = new JsonWalk();
  const { tape } = walk;
  const { text, identity } = rows;
  const values = createJsonValues(walk, rows);
  const { span } = createJsonSpans(walk, rows, values);
  const ofRequest = new Members("resourceSpans");
  const ofResourceSpans = new Members("resource", "schemaUrl", "scopeSpans");
  const ofScopeSpans = new Members("scope", "schemaUrl", "spans");
  const ofOrigin = new Members("name", "version", "attributes", "droppedAttributesCount");

  function decode(bytes: Buffer, batch: SpanBatch, context: DecodeContext): DecodeResult {
    rows.open(batch, context);
    try {
      rows.bounds.json(bytes);
      walk.open(isUtf8(bytes) ? bytes : Buffer.from(bytes.toString()));
      ofRequest.read(tape, walk.object("", 0));
      walk.each("resourceSpans", ofRequest.value(ofRequest.slots.resourceSpans), resourceSpans);
      return rows.close()!;
    } catch (error) {
      rows.abandon();
      throw error;
    } finally {
      walk.close();
    }
  }

  function resourceSpans(item: number): void {
    rows.bounds.part();
    ofResourceSpans.read(tape, item);
    const { slots } = ofResourceSpans;
    ofOrigin.read(tape, walk.optionalObject("resource", ofResourceSpans.value(slots.resource)));
    const at = text.at;
    identity.clear();
    text.ascii('{"attributes":{');
    const dropped = originAttributes(at, true);
    text.byte(CLOSE);
    originEnd(dropped, ofResourceSpans.value(slots.schemaUrl));
    rows.resource(at);
    walk.each("scopeSpans", ofResourceSpans.value(slots.scopeSpans), scopeSpans);
  }

  function scopeSpans(item: number): void {
    rows.bounds.part();
    ofScopeSpans.read(tape, item);
    const { slots } = ofScopeSpans;
    ofOrigin.read(tape, walk.optionalObject("scope", ofScopeSpans.value(slots.scope)));
    const at = text.at;
    text.ascii('{"name":');
    values.optionalString("scope.name", ofOrigin.value(ofOrigin.slots.name), LIMIT_BYTES.name);
    text.ascii(',"version":');
    values.optionalString("scope.version", ofOrigin.value(ofOrigin.slots.version), LIMIT_BYTES.name);
    const some = walk.hasItems(ofOrigin.value(ofOrigin.slots.attributes));
    if (some) text.ascii(',"attributes":{');
    const dropped = originAttributes(at, false);
    if (some) text.byte(CLOSE);
    originEnd(dropped, ofScopeSpans.value(slots.schemaUrl));
    rows.scope(at);
    walk.each("spans", ofScopeSpans.value(slots.spans), span);
  }

  /** Writes the attributes of a resource or scope; returns how many are dropped. */
  function originAttributes(startAt: number, naming: boolean): number {
    let cut = 0;
    let first = true;
    rows.valueLimit = LIMIT_BYTES.resourceValue;
    walk.each("attributes", ofOrigin.value(ofOrigin.slots.attributes), (item) => {
      if (text.at - startAt > ORIGIN_BYTES) {
        cut++;
        return;
      }
      if (!first) text.byte(COMMA);
      first = false;
      values.keyValue(item, 1, naming);
    });
    rows.valueLimit = LIMIT_BYTES.value;
    const count = ofOrigin.value(ofOrigin.slots.droppedAttributesCount);
    return cut + (walk.count("droppedAttributesCount", count) >>> 0);
  }

  function originEnd(dropped: number, schemaUrl: number): void {
    if (dropped > 0) text.ascii(`,"dropped":${dropped}`);
    if (!walk.optionalString("schemaUrl", schemaUrl).isEmpty()) {
      text.ascii(',"schema_url":');
      values.optionalString("schemaUrl", schemaUrl, LIMIT_BYTES.name);
    }
    text.byte(CLOSE);
  }

  return { decode };
}
