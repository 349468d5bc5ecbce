import { CLOSE, CLOSE_LIST, COMMA, OPEN, OPEN_LIST } from "./json-text.ts";
import { LIMIT_BYTES } from "./limits.ts";
import type { ProtobufValues } from "./protobuf-value.ts";
import { ATTRIBUTES, EVENTS, LINKS, NAME, type SpanRows, STATUS_MESSAGE, TRACE_STATE } from "./span-rows.ts";
import { fields, type Wire } from "./wire.ts";

// The decoder rejects these fields when their wire type is wrong.
const SPAN = fields(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
const STATUS = fields(2, 3);
const EVENT = fields(1, 2, 3, 4);
const LINK = fields(1, 2, 3, 4, 5, 6);

export function createProtobufSpans(wire: Wire, rows: SpanRows, { attributes, keyValue }: ProtobufValues) {
  const { text, bounds } = rows;
  let messageFrom = 0;
  let messageTo = 0;

  function span(from: number, end: number): void {
    let nameFrom = 0;
    let nameTo = 0;
    let stateFrom = 0;
    let stateTo = 0;
    let eventsFrom = -1;
    let linksFrom = -1;
    messageFrom = messageTo = 0;
    rows.beginSpan();
    const attributesAt = text.at;
    let first = true;
    text.byte(OPEN);
    wire.at = from;
    while (wire.at < end) {
      const tagAt = wire.at;
      const tag = wire.tag(end);
      switch (tag) {
        case 74: {
          const to = wire.length(end);
          if (!first) text.byte(COMMA);
          first = false;
          keyValue(wire.at, to, 1, true);
          wire.at = to;
          break;
        }
        case 10: {
          const to = wire.length(end);
          rows.traceId(wire.bytes, wire.at, to);
          wire.at = to;
          break;
        }
        case 18: {
          const to = wire.length(end);
          rows.spanId(wire.bytes, wire.at, to);
          wire.at = to;
          break;
        }
        case 26:
          stateTo = wire.length(end);
          stateFrom = wire.at;
          wire.at = stateTo;
          break;
        case 34: {
          const to = wire.length(end);
          rows.parentId(wire.bytes, wire.at, to);
          wire.at = to;
          break;
        }
        case 42:
          nameTo = wire.length(end);
          nameFrom = wire.at;
          wire.at = nameTo;
          break;
        case 48:
          wire.varint(end);
          rows.kind(wire.low);
          break;
        case 57:
          wire.fixed64(end);
          rows.start(wire.low, wire.high);
          break;
        case 65:
          wire.fixed64(end);
          rows.end(wire.low, wire.high);
          break;
        case 80:
          wire.varint(end);
          rows.droppedAttributes(wire.low);
          break;
        case 90:
          bounds.part();
          if (eventsFrom < 0) eventsFrom = tagAt;
          wire.pass(tag, end);
          break;
        case 96:
          wire.varint(end);
          rows.droppedEvents(wire.low);
          break;
        case 106:
          bounds.part();
          if (linksFrom < 0) linksFrom = tagAt;
          wire.pass(tag, end);
          break;
        case 112:
          wire.varint(end);
          rows.droppedLinks(wire.low);
          break;
        case 122: {
          const to = wire.length(end);
          status(to);
          break;
        }
        case 133:
          wire.fixed32(end);
          rows.flags(wire.low);
          break;
        default:
          wire.skip(tag, end, SPAN);
      }
    }
    text.byte(CLOSE);
    rows.json(ATTRIBUTES, attributesAt);
    rows.plain(NAME, wire.source, nameFrom, nameTo);
    rows.plain(STATUS_MESSAGE, wire.source, messageFrom, messageTo);
    rows.plain(TRACE_STATE, wire.source, stateFrom, stateTo);
    if (eventsFrom >= 0) rows.json(EVENTS, list(eventsFrom, end, 90, event));
    if (linksFrom >= 0) rows.json(LINKS, list(linksFrom, end, 106, link));
    rows.endSpan();
  }

  function status(end: number): void {
    while (wire.at < end) {
      const tag = wire.tag(end);
      if (tag === 24) {
        wire.varint(end);
        rows.status(wire.low);
      } else if (tag === 18) {
        messageTo = wire.length(end);
        messageFrom = wire.at;
        wire.at = messageTo;
      } else wire.skip(tag, end, STATUS);
    }
  }

  /** Writes all messages with the tag `field` as one JSON list. Returns the start of the list in `text`. */
  function list(from: number, end: number, field: number, write: (from: number, end: number) => void): number {
    const at = text.at;
    let first = true;
    text.byte(OPEN_LIST);
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
      write(wire.at, to);
      wire.at = to;
    }
    text.byte(CLOSE_LIST);
    return at;
  }

  function event(from: number, end: number): void {
    let low = 0;
    let high = 0;
    let nameFrom = 0;
    let nameTo = 0;
    let dropped = 0;
    wire.at = from;
    while (wire.at < end) {
      const tag = wire.tag(end);
      if (tag === 9) {
        wire.fixed64(end);
        ({ low, high } = wire);
      } else if (tag === 18) {
        nameTo = wire.length(end);
        nameFrom = wire.at;
        wire.at = nameTo;
      } else if (tag === 26) wire.pass(tag, end);
      else if (tag === 32) {
        wire.varint(end);
        dropped = wire.low >>> 0;
      } else wire.skip(tag, end, EVENT);
    }
    text.ascii('{"time_ns":');
    text.uint64String(low, high);
    text.ascii(',"name":');
    text.string(wire.source, nameFrom, nameTo, LIMIT_BYTES.name);
    text.ascii(',"attributes":{');
    attributes(from, end, 26);
    text.byte(CLOSE);
    if (dropped > 0) text.ascii(`,"dropped":${dropped}`);
    text.byte(CLOSE);
  }

  function link(from: number, end: number): void {
    let traceFrom = 0;
    let traceTo = 0;
    let spanFrom = 0;
    let spanTo = 0;
    let stateFrom = 0;
    let stateTo = 0;
    let withAttributes = false;
    wire.at = from;
    while (wire.at < end) {
      const tag = wire.tag(end);
      if (tag === 10) {
        traceTo = wire.length(end);
        traceFrom = wire.at;
        wire.at = traceTo;
      } else if (tag === 18) {
        spanTo = wire.length(end);
        spanFrom = wire.at;
        wire.at = spanTo;
      } else if (tag === 26) {
        stateTo = wire.length(end);
        stateFrom = wire.at;
        wire.at = stateTo;
      } else if (tag === 34) {
        withAttributes = true;
        wire.pass(tag, end);
      } else if (tag === 40 || tag === 53) wire.pass(tag, end);
      else wire.skip(tag, end, LINK);
    }
    text.ascii('{"trace_id":');
    text.hexString(wire.bytes, traceFrom, traceTo - traceFrom === 16 ? traceTo : traceFrom);
    text.ascii(',"span_id":');
    text.hexString(wire.bytes, spanFrom, spanTo - spanFrom === 8 ? spanTo : spanFrom);
    if (stateTo > stateFrom) {
      text.ascii(',"trace_state":');
      text.string(wire.source, stateFrom, stateTo, LIMIT_BYTES.traceState);
    }
    if (withAttributes) {
      text.ascii(',"attributes":{');
      attributes(from, end, 34);
      text.byte(CLOSE);
    }
    text.byte(CLOSE);
  }

  return { span };
}
