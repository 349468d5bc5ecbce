import { CLOSE, CLOSE_LIST, COMMA, OPEN, OPEN_LIST } from "./json-text.ts";
import type { JsonValues } from "./json-value.ts";
import type { JsonObject, JsonWalk } from "./json-walk.ts";
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

export function createJsonSpans(walk: JsonWalk, rows: SpanRows, { attributes }: JsonValues) {
  const { text } = rows;

  function span(item: JsonObject): void {
    rows.beginSpan();
    rows.traceId(walk.idBytes, 0, walk.id("traceId", item["traceId"] ?? item["trace_id"]));
    rows.spanId(walk.idBytes, 0, walk.id("spanId", item["spanId"] ?? item["span_id"]));
    rows.parentId(walk.idBytes, 0, walk.id("parentSpanId", item["parentSpanId"] ?? item["parent_span_id"]));
    walk.time("startTimeUnixNano", item["startTimeUnixNano"] ?? item["start_time_unix_nano"]);
    rows.start(walk.low, walk.high);
    walk.time("endTimeUnixNano", item["endTimeUnixNano"] ?? item["end_time_unix_nano"]);
    rows.end(walk.low, walk.high);
    rows.kind(walk.enumNumber("kind", item["kind"], KINDS));
    rows.flags(walk.count("flags", item["flags"]));
    rows.droppedAttributes(droppedAttributes(item));
    rows.droppedEvents(walk.count("droppedEventsCount", item["droppedEventsCount"] ?? item["dropped_events_count"]));
    rows.droppedLinks(walk.count("droppedLinksCount", item["droppedLinksCount"] ?? item["dropped_links_count"]));
    const attributesAt = text.at;
    text.byte(OPEN);
    attributes(item["attributes"], true);
    text.byte(CLOSE);
    rows.json(ATTRIBUTES, attributesAt);
    const status = walk.optionalObject("status", item["status"]);
    rows.status(walk.enumNumber("status.code", status["code"], STATUS_CODES));
    rows.plainOf(NAME, walk.optionalString("name", item["name"]));
    rows.plainOf(STATUS_MESSAGE, walk.optionalString("status.message", status["message"]));
    rows.plainOf(TRACE_STATE, traceState(item));
    list(EVENTS, "events", item["events"], event);
    list(LINKS, "links", item["links"], link);
    rows.endSpan();
  }

  const droppedAttributes = (item: JsonObject) =>
    walk.count("droppedAttributesCount", item["droppedAttributesCount"] ?? item["dropped_attributes_count"]);
  const traceState = (item: JsonObject) => walk.optionalString("traceState", item["traceState"] ?? item["trace_state"]);

  function list(column: number, name: string, items: unknown, write: (item: JsonObject) => void): void {
    const at = text.at;
    walk.each(name, items, (item, index) => {
      text.byte(index === 0 ? OPEN_LIST : COMMA);
      write(item);
    });
    if (text.at === at) return;
    text.byte(CLOSE_LIST);
    rows.json(column, at);
  }

  function event(item: JsonObject): void {
    rows.bounds.part();
    walk.time("timeUnixNano", item["timeUnixNano"] ?? item["time_unix_nano"]);
    const { low, high } = walk;
    const dropped = droppedAttributes(item) >>> 0;
    text.ascii('{"time_ns":');
    text.uint64String(low, high);
    text.ascii(',"name":');
    text.stringOf(walk.optionalString("name", item["name"]), LIMIT_BYTES.name);
    text.ascii(',"attributes":{');
    attributes(item["attributes"], false);
    text.byte(CLOSE);
    if (dropped > 0) text.ascii(`,"dropped":${dropped}`);
    text.byte(CLOSE);
  }

  function link(item: JsonObject): void {
    rows.bounds.part();
    text.ascii('{"trace_id":');
    text.hexString(walk.idBytes, 0, walk.id("traceId", item["traceId"] ?? item["trace_id"]) === 16 ? 16 : 0);
    text.ascii(',"span_id":');
    text.hexString(walk.idBytes, 0, walk.id("spanId", item["spanId"] ?? item["span_id"]) === 8 ? 8 : 0);
    const state = traceState(item);
    if (state !== "") {
      text.ascii(',"trace_state":');
      text.stringOf(state, LIMIT_BYTES.traceState);
    }
    const some = walk.hasItems(item["attributes"]);
    if (some) text.ascii(',"attributes":{');
    attributes(item["attributes"], false);
    if (some) text.byte(CLOSE);
    text.byte(CLOSE);
  }

  return { span };
}
