import { Members } from "./json-members.ts";
import { CLOSE, CLOSE_LIST, COMMA, OPEN, OPEN_LIST } from "./json-text.ts";
import type { JsonValues } from "./json-value.ts";
import type { JsonWalk } from "./json-walk.ts";
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
export function createJsonSpans(walk: JsonWalk, rows: SpanRows, { attributes, optionalString }: JsonValues) {
  const { text } = rows;
  const { tape } = walk;
  const ofSpan = new Members(
    "traceId",
    "spanId",
    "parentSpanId",
    "startTimeUnixNano",
    "endTimeUnixNano",
    "name",
    "kind",
    "flags",
    "traceState",
    "status",
    "attributes",
    "events",
    "links",
    "droppedAttributesCount",
    "droppedEventsCount",
    "droppedLinksCount",
  );
  const ofStatus = new Members("code", "message");
  const ofEvent = new Members("timeUnixNano", "name", "attributes", "droppedAttributesCount");
  const ofLink = new Members("traceId", "spanId", "traceState", "attributes");

  function span(item: number): void {
    ofSpan.read(tape, item);
    const { slots } = ofSpan;
    rows.beginSpan();
    rows.traceId(walk.idBytes, 0, walk.id("traceId", ofSpan.value(slots.traceId)));
    rows.spanId(walk.idBytes, 0, walk.id("spanId", ofSpan.value(slots.spanId)));
    rows.parentId(walk.idBytes, 0, walk.id("parentSpanId", ofSpan.value(slots.parentSpanId)));
    const start = walk.time("startTimeUnixNano", ofSpan.value(slots.startTimeUnixNano));
    rows.start(start.low, start.high);
    const end = walk.time("endTimeUnixNano", ofSpan.value(slots.endTimeUnixNano));
    rows.end(end.low, end.high);
    rows.kind(walk.enumNumber("kind", ofSpan.value(slots.kind), KINDS));
    rows.flags(walk.count("flags", ofSpan.value(slots.flags)));
    rows.droppedAttributes(walk.count("droppedAttributesCount", ofSpan.value(slots.droppedAttributesCount)));
    rows.droppedEvents(walk.count("droppedEventsCount", ofSpan.value(slots.droppedEventsCount)));
    rows.droppedLinks(walk.count("droppedLinksCount", ofSpan.value(slots.droppedLinksCount)));

    const attributesAt = text.at;
    text.byte(OPEN);
    attributes(ofSpan.value(slots.attributes), true);
    text.byte(CLOSE);
    rows.json(ATTRIBUTES, attributesAt);
    ofStatus.read(tape, walk.optionalObject("status", ofSpan.value(slots.status)));
    rows.status(walk.enumNumber("status.code", ofStatus.value(ofStatus.slots.code), STATUS_CODES));
    plain(NAME, "name", ofSpan.value(slots.name));
    plain(STATUS_MESSAGE, "status.message", ofStatus.value(ofStatus.slots.message));
    plain(TRACE_STATE, "traceState", ofSpan.value(slots.traceState));
    list(EVENTS, "events", ofSpan.value(slots.events), event);
    list(LINKS, "links", ofSpan.value(slots.links), link);
    rows.endSpan();
  }

  function plain(column: number, name: string, node: number): void {
    const { source, from, to } = walk.optionalString(name, node);
    rows.plain(column, source, from, to);
  }

  function list(column: number, name: string, items: number, write: (item: number) => void): void {
    const at = text.at;
    walk.each(name, items, (item) => {
      text.byte(text.at === at ? OPEN_LIST : COMMA);
      write(item);
    });
    if (text.at === at) return;
    text.byte(CLOSE_LIST);
    rows.json(column, at);
  }

  function event(item: number): void {
    rows.bounds.part();
    ofEvent.read(tape, item);
    const { slots } = ofEvent;
    const { low, high } = walk.time("timeUnixNano", ofEvent.value(slots.timeUnixNano));
    const dropped = walk.count("droppedAttributesCount", ofEvent.value(slots.droppedAttributesCount)) >>> 0;
    text.ascii('{"time_ns":');
    text.uint64String(low, high);
    text.ascii(',"name":');
    optionalString("name", ofEvent.value(slots.name), LIMIT_BYTES.name);
    text.ascii(',"attributes":{');
    attributes(ofEvent.value(slots.attributes), false);
    text.byte(CLOSE);
    if (dropped > 0) text.ascii(`,"dropped":${dropped}`);
    text.byte(CLOSE);
  }

  function link(item: number): void {
    rows.bounds.part();
    ofLink.read(tape, item);
    const { slots } = ofLink;
    text.ascii('{"trace_id":');
    text.hexString(walk.idBytes, 0, walk.id("traceId", ofLink.value(slots.traceId)) === 16 ? 16 : 0);
    text.ascii(',"span_id":');
    text.hexString(walk.idBytes, 0, walk.id("spanId", ofLink.value(slots.spanId)) === 8 ? 8 : 0);
    const state = ofLink.value(slots.traceState);
    if (!walk.optionalString("traceState", state).isEmpty()) {
      text.ascii(',"trace_state":');
      optionalString("traceState", state, LIMIT_BYTES.traceState);
    }
    const attributesOfLink = ofLink.value(slots.attributes);
    const some = walk.hasItems(attributesOfLink);
    if (some) text.ascii(',"attributes":{');
    attributes(attributesOfLink, false);
    if (some) text.byte(CLOSE);
    text.byte(CLOSE);
  }

  return { span };
}
