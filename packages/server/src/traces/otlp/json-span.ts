import { CLOSE, CLOSE_LIST, COMMA, OPEN, OPEN_LIST } from "./json-text.ts";
import type { JsonValues } from "./json-value.ts";
import { highWord, type JsonObject, type JsonWalk, lowWord } from "./json-walk.ts";
import { LIMIT_BYTES } from "./limits.ts";
import { ATTRIBUTES, EVENTS, LINKS, NAME, type SpanRows, STATUS_MESSAGE, TRACE_STATE } from "./span-rows.ts";

const KINDS = {
  SPAN_KIND_UNSPECIFIED: 0,
  SPAN_KIND_INTERNAL: 1,
  SPAN_KIND_SERVER: 2,
  SPAN_KIND_CLIENT: 3,
  SPAN_KIND_PRODUCER: 4,
  SPAN_KIND_CONSUMER: 5,
};
const STATUS_CODES = { STATUS_CODE_UNSET: 0, STATUS_CODE_OK: 1, STATUS_CODE_ERROR: 2 };

/** Creates the part of the decoder that fills a row from a span object. */
export function createJsonSpans(walk: JsonWalk, rows: SpanRows, { attributes }: JsonValues) {
  const { text } = rows;

  function span(item: JsonObject): void {
    rows.beginSpan();
    rows.traceId(walk.idBytes, 0, walk.id("traceId", item.traceId ?? item.trace_id));
    rows.spanId(walk.idBytes, 0, walk.id("spanId", item.spanId ?? item.span_id));
    rows.parentId(walk.idBytes, 0, walk.id("parentSpanId", item.parentSpanId ?? item.parent_span_id));
    const start = walk.integer("startTimeUnixNano", item.startTimeUnixNano ?? item.start_time_unix_nano ?? 0);
    rows.start(lowWord(start), highWord(start));
    const end = walk.integer("endTimeUnixNano", item.endTimeUnixNano ?? item.end_time_unix_nano ?? 0);
    rows.end(lowWord(end), highWord(end));
    rows.kind(walk.enumNumber("kind", item.kind, KINDS));
    rows.flags(walk.count("flags", item.flags));
    rows.droppedAttributes(
      walk.count("droppedAttributesCount", item.droppedAttributesCount ?? item.dropped_attributes_count),
    );
    rows.droppedEvents(walk.count("droppedEventsCount", item.droppedEventsCount ?? item.dropped_events_count));
    rows.droppedLinks(walk.count("droppedLinksCount", item.droppedLinksCount ?? item.dropped_links_count));

    const attributesAt = text.at;
    text.byte(OPEN);
    attributes(item.attributes, true);
    text.byte(CLOSE);
    rows.json(ATTRIBUTES, attributesAt);
    const status = walk.object("status", item.status ?? {});
    rows.status(walk.enumNumber("status.code", status.code, STATUS_CODES));
    rows.plainOf(NAME, walk.optionalString("name", item.name));
    rows.plainOf(STATUS_MESSAGE, walk.optionalString("status.message", status.message));
    rows.plainOf(TRACE_STATE, walk.optionalString("traceState", item.traceState ?? item.trace_state));
    list(EVENTS, "events", item.events, event);
    list(LINKS, "links", item.links, link);
    rows.endSpan();
  }

  function list(column: number, name: string, items: unknown, write: (item: JsonObject) => void): void {
    const at = text.at;
    walk.each(name, items, (item) => {
      text.byte(text.at === at ? OPEN_LIST : COMMA);
      write(item);
    });
    if (text.at === at) return;
    text.byte(CLOSE_LIST);
    rows.json(column, at);
  }

  function event(item: JsonObject): void {
    const time = walk.integer("timeUnixNano", item.timeUnixNano ?? item.time_unix_nano ?? 0);
    const dropped =
      walk.count("droppedAttributesCount", item.droppedAttributesCount ?? item.dropped_attributes_count) >>> 0;
    text.ascii('{"time_ns":');
    text.uint64String(lowWord(time), highWord(time));
    text.ascii(',"name":');
    text.stringOf(walk.optionalString("name", item.name), LIMIT_BYTES.name);
    text.ascii(',"attributes":{');
    attributes(item.attributes, false);
    text.byte(CLOSE);
    if (dropped > 0) text.ascii(`,"dropped":${dropped}`);
    text.byte(CLOSE);
  }

  function link(item: JsonObject): void {
    text.ascii('{"trace_id":');
    text.hexString(walk.idBytes, 0, walk.id("traceId", item.traceId ?? item.trace_id) === 16 ? 16 : 0);
    text.ascii(',"span_id":');
    text.hexString(walk.idBytes, 0, walk.id("spanId", item.spanId ?? item.span_id) === 8 ? 8 : 0);
    const state = walk.optionalString("traceState", item.traceState ?? item.trace_state);
    if (state !== "") {
      text.ascii(',"trace_state":');
      text.stringOf(state, LIMIT_BYTES.traceState);
    }
    if (Array.isArray(item.attributes) && item.attributes.length > 0) {
      text.ascii(',"attributes":{');
      attributes(item.attributes, false);
      text.byte(CLOSE);
    } else attributes(item.attributes, false);
    text.byte(CLOSE);
  }

  return { span };
}
