import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createDecoder } from "../../packages/server/src/traces/otlp/decoder.ts";
import { encodeSpans, type NamedSpan } from "../../packages/server/src/traces/otlp/encode-spans.ts";
import { SpanBatch } from "../../packages/server/src/traces/span-batch.ts";
import { requestsOf } from "../support/captures.ts";
import { liveKitRequest, random } from "../support/livekit-request.ts";
import { IS_LONG } from "../support/long-form.ts";
import { anyRequest, scramble } from "../support/otlp-arbitrary.ts";
import { CONTEXT } from "../support/otlp-reference.ts";
import { aSpan, attribute, encodeJson, encodeProtobuf, type OtlpAttribute, type OtlpSpan } from "../support/otlp.ts";
import "../support/property-seed.ts";
import { captureSets } from "../support/spans-of-capture.ts";
import { readRows, type SpanRow } from "../support/span-rows.ts";

const decoder = createDecoder();
/** The columns that ClickHouse does not store, because no reader shows them. */
const NOT_KEPT = { trace_state: null, flags: 0, dropped_attributes: 0, dropped_events: 0, dropped_links: 0 };

function rowsOf(body: Buffer, encoding: "protobuf" | "json" = "protobuf"): SpanRow[] {
  const batch = new SpanBatch(2, 64);
  const decode = encoding === "json" ? decoder.decodeJson : decoder.decodeProtobuf;
  decode(body, batch, CONTEXT);
  return readRows(batch).map((row) => ({ ...row, ...NOT_KEPT }));
}

/** Returns the span as ClickHouse stores it. */
const spanOf = (row: SpanRow): NamedSpan => ({
  project: row.project,
  trace_id: BigInt(`0x${row.trace_id}`),
  span_id: BigInt(`0x${row.span_id}`),
  parent_span_id: row.parent_span_id === null ? null : BigInt(`0x${row.parent_span_id}`),
  start_ns: row.start_ns,
  end_ns: row.end_ns || null,
  kind: row.kind,
  status: row.status,
  name: row.name,
  statusMessage: row.status_message,
  attributes: row.attributes,
  events: row.events,
  links: row.links,
  resource: row.resource,
  scope: row.scope,
  conversationRank: row.conversation_rank,
  conversation: row.conversation,
  agent: row.agent,
  service: row.service,
});

function expectSame(rows: readonly SpanRow[]): void {
  expect(rowsOf(encodeSpans(rows.map(spanOf)))).toEqual(rows);
}

const withAttributes = (attributes: OtlpAttribute[], resource: OtlpAttribute[] = [], span: Partial<OtlpSpan> = {}) => ({
  resourceSpans: [{ resource: { attributes: resource }, scopeSpans: [{ spans: [aSpan({ attributes, ...span })] }] }],
});

describe("stored spans, encoded again, decode into the same columns", () => {
  test.each(captureSets())(
    "stored spans, encoded again, decode into the same columns from the recorded set %s",
    (set) => {
      for (const { body, contentType, gzip } of requestsOf(set)) {
        const plain = gzip === true ? gunzipSync(body as Buffer) : (body as Buffer);
        const rows = rowsOf(plain, contentType === "application/json" ? "json" : "protobuf");
        expect(rows.length).toBeGreaterThan(0);
        expectSame(rows);
      }
    },
  );

  test("stored spans, encoded again, decode into the same columns from a generated LiveKit request, even in another order", () => {
    const rows = rowsOf(encodeProtobuf(liveKitRequest(4)));
    expect(rows).toHaveLength(512);
    expectSame(rows);
    expectSame(rows.toReversed());
  });

  test("stored spans, encoded again, decode into the same columns from any requests together, in protobuf and in JSON", () => {
    fc.assert(
      fc.property(fc.array(anyRequest, { minLength: 1, maxLength: 3 }), fc.nat(), (requests, seed) => {
        expectSame(requests.flatMap((request) => rowsOf(encodeProtobuf(request))));
        expectSame(requests.flatMap((request) => rowsOf(encodeJson(request), "json")));
        expectSame(requests.flatMap((request) => rowsOf(scramble(encodeProtobuf(request), random(seed)))));
      }),
      { numRuns: IS_LONG ? 2_000 : 80 },
    );
  });

  test("stored spans, encoded again, decode into the same columns from a body with changed bytes, which may not be UTF-8", () => {
    const change = fc.record({ at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }) });
    fc.assert(
      fc.property(anyRequest, fc.array(change, { minLength: 1, maxLength: 3 }), (request, changes) => {
        const body = encodeProtobuf(request);
        for (const { at, byte } of changes) if (body.length > 0) body[at % body.length] = byte;
        fc.pre(isAccepted(body));
        expectSame(rowsOf(body));
      }),
      { numRuns: IS_LONG ? 2_000 : 80 },
    );
  });

  test.each<[string, OtlpAttribute[], OtlpAttribute[]?]>([
    ["a fraction beside a weaker name", [attribute("session.id", 5), attribute("conversation.id", "5")]],
    ["an integer", [attribute("session.id", 5n)], [attribute("job_id", 7)]],
    ["an integer that no fraction has", [attribute("session.id", 2n ** 53n + 1n)]],
    ["bytes beside a weaker name", [attribute("job_id", Buffer.from("abc")), attribute("session.id", "YWJj")]],
    ["bytes behind a name of the same key", [attribute("job_id", "YWJj"), attribute("job_id", Buffer.from("ab"))]],
    ["no number", [attribute("session.id", Number.NaN), attribute("svc.agent_name", Number.NEGATIVE_INFINITY)]],
    [
      "bytes that are cut",
      [attribute("job_id", Buffer.alloc(1 << 20, 7))],
      [attribute("job_id", Buffer.alloc(70_000))],
    ],
    ["a long text", [attribute("job_id", "日".repeat(200))], [attribute("service.name", "é".repeat(300))]],
    ["an empty text", [attribute("job_id", "")], [attribute("service.name", "")]],
    ["a list", [attribute("job_id", ["a"])], [attribute("service.name", { a: 1 }), attribute("job_id", "b")]],
  ])(
    "stored spans, encoded again, decode into the same columns with %s in the place of a name",
    (_, attributes, resource) => {
      expectSame(rowsOf(encodeProtobuf(withAttributes(attributes, resource))));
    },
  );

  test("stored spans, encoded again, decode into the same columns with names and values that only look like names under the same keys, in any order and number", () => {
    const keys = ["svc.session_id", "job_id", "svc.agent_name", "lk.agent_label", "service.name"];
    const values = [
      5,
      5n,
      "5",
      "YWJj",
      Buffer.from("abc"),
      "abcd",
      Buffer.from("abcd", "base64"),
      "",
      "NaN",
      Number.NaN,
    ];
    const lookAlike = fc
      .tuple(fc.constantFrom(...keys), fc.constantFrom(...values))
      .map(([key, value]) => attribute(key, value));
    const lists = fc.array(lookAlike, { maxLength: 24 });
    fc.assert(
      fc.property(lists, lists, (attributes, resource) => {
        expectSame(rowsOf(encodeProtobuf(withAttributes(attributes, resource))));
      }),
      { numRuns: IS_LONG ? 10_000 : 500 },
    );
  });

  test("stored spans, encoded again, decode into the same columns with texts, attributes and resources that were cut", () => {
    const long = Array.from({ length: 90 }, (_, at) => attribute(`key ${at} ${"k".repeat(1_100)}`, "v".repeat(1_000)));
    const status = { code: 2, message: "m".repeat(20_000) };
    const events = [{ name: "n".repeat(1_100), timeUnixNano: String(2n ** 64n - 1n), attributes: long }];
    const rows = rowsOf(
      encodeProtobuf(withAttributes([attribute("a", "x".repeat(2 << 20))], long, { status, events })),
    );
    expect(rows[0]!.resource).toContain('"dropped":');
    expectSame(rows);
  });
});

function isAccepted(body: Buffer): boolean {
  try {
    return decoder.decodeProtobuf(body, new SpanBatch(2, 64), CONTEXT).accepted > 0;
  } catch {
    return false;
  }
}
