import { describe, expect, test } from "vitest";
import { createDecoder } from "../../packages/server/src/traces/otlp/decoder.ts";
import { MalformedBody } from "../../packages/server/src/traces/otlp/malformed-body.ts";
import { SpanBatch } from "../../packages/server/src/traces/span-batch.ts";
import { CONTEXT } from "../support/otlp-reference.ts";
import { aSpan, attribute, encodeJson, oneSpan } from "../support/otlp.ts";
import { readRows } from "../support/span-rows.ts";

const { decodeJson } = createDecoder();

function rows(json: string | object) {
  const batch = new SpanBatch(4, 64);
  decodeJson(Buffer.from(typeof json === "string" ? json : JSON.stringify(json)), batch, CONTEXT);
  return readRows(batch);
}
const inSpan = (members: object) => oneSpan(members as never);
const only = (members: object) => rows(inSpan(members))[0]!;

test("snake_case member names mean the same as camelCase ones", () => {
  const request = {
    resourceSpans: [
      {
        resource: { attributes: [attribute("a", 1n)], droppedAttributesCount: 1 },
        schemaUrl: "r",
        scopeSpans: [
          {
            scope: { name: "s", droppedAttributesCount: 2 },
            schemaUrl: "s",
            spans: [
              aSpan({
                parentSpanId: "b7ad6b7169203332",
                traceState: "t",
                droppedAttributesCount: 3,
                droppedEventsCount: 4,
                droppedLinksCount: 5,
                attributes: [attribute("all", ["a", 1n, 1.5, true, { k: "v" }, Buffer.from("b")])],
                events: [{ timeUnixNano: "5", name: "e", droppedAttributesCount: 1 }],
                links: [{ traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", traceState: "x" }],
              }),
            ],
          },
        ],
      },
    ],
  };
  const snake = JSON.stringify(request).replaceAll(
    /"([a-z]+(?:[A-Z][a-z]+)+)":/g,
    (_, name: string) => `"${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}":`,
  );
  expect(snake).toContain("start_time_unix_nano");
  expect(snake).toContain("kvlist_value");
  expect(rows(snake)).toEqual(rows(request));
});

test("ids may be in either case, enums numbers or names, 64-bit numbers strings or numbers", () => {
  const row = only({
    traceId: "0AF7651916CD43DD8448EB211C80319C",
    kind: "SPAN_KIND_CLIENT",
    status: { code: "STATUS_CODE_ERROR" },
    attributes: [{ key: "n", value: { intValue: 5 } }],
  });
  expect(row).toMatchObject({
    trace_id: "0af7651916cd43dd8448eb211c80319c",
    kind: 3,
    status: 2,
    attributes: '{"n":5}',
  });
  expect(only({ kind: "SPAN_KIND_NEW", status: { code: 7 } })).toMatchObject({ kind: 0, status: 0 });
});

test.each(["g".repeat(16), "\u0130\u0131".repeat(8), "b7ad6b716920333", " 7ad6b7169203331"])(
  "an id that is not hexadecimal counts as absent: %j",
  (parentSpanId) => expect(only({ parentSpanId }).parent_span_id).toBeNull(),
);

test("a 64-bit integer in a JSON number keeps every digit", () => {
  const json = encodeJson(inSpan({ attributes: [{ key: "n", value: { intValue: "9007199254740993" } }] })).toString();
  const bare = json.replaceAll(/"(\d{16,})"/g, "$1");
  expect(bare).toContain('"startTimeUnixNano":1795251159551000000,');
  const [row] = rows(bare);
  expect(row).toMatchObject({ start_ns: 1795251159551000000n, attributes: '{"n":9007199254740993}' });
});

test("unknown members and nulls are ignored", () => {
  const request = inSpan({ parentSpanId: null, attributes: null, status: null, events: null, future: { a: [1] } });
  expect(rows({ ...request, future: 1 })).toEqual(rows(oneSpan()));
  expect(rows({})).toEqual([]);
  expect(rows({ resourceSpans: null })).toEqual([]);
});

test("a lone surrogate becomes U+FFFD", () => {
  expect(only({ name: "a\ud800b" }).name).toBe("a\ufffdb");
});

describe("a member of a wrong type", () => {
  const attributeOf = (value: unknown) => inSpan({ attributes: [{ key: "k", value }] });
  test.each<[string, unknown]>([
    ["it must be an object", []],
    ["resourceSpans must be an array", { resourceSpans: {} }],
    ["resourceSpans[0] must be an object", { resourceSpans: [1] }],
    ["resourceSpans[0].scopeSpans must be an array", { resourceSpans: [{ scopeSpans: "x" }] }],
    ["spans[0].traceId must be a string", inSpan({ traceId: 5 })],
    ["spans[0].startTimeUnixNano must be a whole number", inSpan({ startTimeUnixNano: "soon" })],
    ["spans[0].startTimeUnixNano must be a whole number", inSpan({ startTimeUnixNano: 1e300 })],
    ["spans[0].name must be a string", inSpan({ name: {} })],
    ["spans[0].flags must be a whole number", inSpan({ flags: 1.5 })],
    ["spans[0].attributes[0].key must be a string", inSpan({ attributes: [{ key: 1 }] })],
    ["attributes[0].value must be an object", attributeOf("plain")],
    ["attributes[0].stringValue must be a string", attributeOf({ stringValue: 1 })],
    ["attributes[0].intValue must be a whole number", attributeOf({ intValue: "1.5" })],
    ["attributes[0].intValue must be a whole number", attributeOf({ intValue: "9223372036854775808" })],
    ["attributes[0].boolValue must be true or false", attributeOf({ boolValue: "true" })],
    ["attributes[0].doubleValue must be a number", attributeOf({ doubleValue: "many" })],
    ["attributes[0].bytesValue must be base64", attributeOf({ bytesValue: "%%" })],
    ["attributes[0].values must be an array", attributeOf({ arrayValue: { values: {} } })],
    ["spans[0].events[0].timeUnixNano must be a whole number", inSpan({ events: [{ timeUnixNano: true }] })],
  ])("a wrong type is refused with its path: %s", (message, request) => {
    const batch = new SpanBatch(4, 64);
    const decode = () => decodeJson(Buffer.from(JSON.stringify(request)), batch, CONTEXT);
    expect(decode).toThrow(MalformedBody);
    expect(decode).toThrow(message);
    expect(batch.mark()).toEqual(new SpanBatch().mark());
  });

  test("a body that is not JSON is refused as malformed", () => {
    expect(() => rows("{")).toThrow(MalformedBody);
    expect(() => rows("")).toThrow(MalformedBody);
  });
});
