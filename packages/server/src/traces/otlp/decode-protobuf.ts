import type { SpanBatch } from "../span-batch.ts";
import { CLOSE } from "./json-text.ts";
import { LIMIT_BYTES } from "./limits.ts";
import { createOriginAttributes, RESOURCE, SCOPE } from "./protobuf-origin.ts";
import { createProtobufSpans } from "./protobuf-span.ts";
import { createProtobufValues } from "./protobuf-value.ts";
import type { BodyDecoder, DecodeContext, DecodeResult, SpanRows } from "./span-rows.ts";
import { fields, Wire } from "./wire.ts";

const REQUEST = fields(1);
const RESOURCE_SPANS = fields(1, 2, 3);
const SCOPE_SPANS = fields(1, 2, 3);

export function createProtobufDecoder(rows: SpanRows): BodyDecoder {
  const wire = new Wire();
  const { text, identity, bounds } = rows;
  const values = createProtobufValues(wire, rows);
  const originAttributes = createOriginAttributes(wire, rows, values);
  const { span } = createProtobufSpans(wire, rows, values);

  /**
   * Decodes the body a second time, with repairs, when its text is not all UTF-8, which is only known at the end of the
   * body.
   */
  function decode(bytes: Buffer, batch: SpanBatch, context: DecodeContext): DecodeResult {
    return attempt(bytes, batch, context, false) ?? attempt(bytes, batch, context, true)!;
  }

  function attempt(
    bytes: Buffer,
    batch: SpanBatch,
    context: DecodeContext,
    repairing: boolean,
  ): DecodeResult | undefined {
    wire.open(bytes);
    rows.open(batch, context, repairing);
    try {
      request(bytes.length);
      return rows.close();
    } catch (error) {
      rows.abandon();
      throw error;
    } finally {
      wire.close();
    }
  }

  function request(end: number): void {
    while (wire.at < end) {
      const tag = wire.tag(end);
      if (tag === 10) {
        const to = wire.length(end);
        resourceSpans(wire.at, to);
        wire.at = to;
      } else wire.skip(tag, end, REQUEST);
    }
  }

  function resourceSpans(from: number, end: number): void {
    bounds.part();
    let schemaFrom = 0;
    let schemaTo = 0;
    let scopes = 0;
    wire.at = from;
    while (wire.at < end) {
      const tag = wire.tag(end);
      if (tag === 10) wire.pass(tag, end);
      else if (tag === 18) {
        bounds.part();
        scopes++;
        wire.pass(tag, end);
      } else if (tag === 26) {
        schemaTo = wire.length(end);
        schemaFrom = wire.at;
        wire.at = schemaTo;
      } else wire.skip(tag, end, RESOURCE_SPANS);
    }
    if (scopes === 0) return;
    const at = text.at;
    identity.clear();
    text.ascii('{"attributes":{');
    const dropped = originAttributes(from, end, at, RESOURCE);
    text.byte(CLOSE);
    originEnd(dropped, schemaFrom, schemaTo);
    rows.resource(at);
    wire.at = from;
    while (wire.at < end) {
      const tag = wire.tag(end);
      if (tag === 18) {
        const to = wire.length(end);
        scopeSpans(wire.at, to);
        wire.at = to;
      } else wire.pass(tag, end);
    }
  }

  function originEnd(dropped: number, schemaFrom: number, schemaTo: number): void {
    if (dropped > 0) text.ascii(`,"dropped":${dropped}`);
    if (schemaTo > schemaFrom) {
      text.ascii(',"schema_url":');
      text.string(wire.source, schemaFrom, schemaTo, LIMIT_BYTES.name);
    }
    text.byte(CLOSE);
  }

  function scopeSpans(from: number, end: number): void {
    let schemaFrom = 0;
    let schemaTo = 0;
    let spans = 0;
    wire.at = from;
    while (wire.at < end) {
      const tag = wire.tag(end);
      if (tag === 18) {
        spans++;
        wire.pass(tag, end);
      } else if (tag === 10) wire.pass(tag, end);
      else if (tag === 26) {
        schemaTo = wire.length(end);
        schemaFrom = wire.at;
        wire.at = schemaTo;
      } else wire.skip(tag, end, SCOPE_SPANS);
    }
    if (spans === 0) return;
    scope(from, end, schemaFrom, schemaTo);
    wire.at = from;
    while (wire.at < end) {
      const tag = wire.tag(end);
      if (tag === 18) {
        const to = wire.length(end);
        span(wire.at, to);
        wire.at = to;
      } else wire.pass(tag, end);
    }
  }

  function scope(from: number, end: number, schemaFrom: number, schemaTo: number): void {
    let nameFrom = 0;
    let nameTo = 0;
    let versionFrom = 0;
    let versionTo = 0;
    let attributes = false;
    wire.at = from;
    while (wire.at < end) {
      const outer = wire.tag(end);
      if (outer !== 10) {
        wire.pass(outer, end);
        continue;
      }
      const pieceEnd = wire.length(end);
      while (wire.at < pieceEnd) {
        const tag = wire.tag(pieceEnd);
        if (tag === 10) {
          nameTo = wire.length(pieceEnd);
          nameFrom = wire.at;
          wire.at = nameTo;
        } else if (tag === 18) {
          versionTo = wire.length(pieceEnd);
          versionFrom = wire.at;
          wire.at = versionTo;
        } else if (tag === SCOPE.attributes || tag === SCOPE.dropped) {
          attributes ||= tag === SCOPE.attributes;
          wire.pass(tag, pieceEnd);
        } else wire.skip(tag, pieceEnd, SCOPE.fields);
      }
    }
    const at = text.at;
    text.ascii('{"name":');
    text.string(wire.source, nameFrom, nameTo, LIMIT_BYTES.name);
    text.ascii(',"version":');
    text.string(wire.source, versionFrom, versionTo, LIMIT_BYTES.name);
    if (attributes) text.ascii(',"attributes":{');
    const dropped = originAttributes(from, end, at, SCOPE);
    if (attributes) text.byte(CLOSE);
    originEnd(dropped, schemaFrom, schemaTo);
    rows.scope(at);
  }

  return { decode };
}
