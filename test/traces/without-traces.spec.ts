import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createDecoder } from "../../packages/server/src/traces/otlp/decoder.ts";
import { withoutTraces } from "../../packages/server/src/traces/otlp/without-traces.ts";
import { SpanBatch } from "../../packages/server/src/traces/span-batch.ts";
import { exportOf } from "../support/expensive-exports.ts";
import { anyRequest } from "../support/otlp-arbitrary.ts";
import { CONTEXT } from "../support/otlp-reference.ts";
import { aSpan, encodeJson, encodeProtobuf, type OtlpRequest } from "../support/otlp.ts";
import { readRows } from "../support/span-rows.ts";

const { decodeJson, decodeProtobuf } = createDecoder();
const DELETED = "0123456789abcdef0123456789abcdef";
const isDeleted = (traceId: string) => traceId === DELETED;

/** Requests in which about every third span is of the deleted trace. */
const requests = fc.tuple(anyRequest, fc.infiniteStream(fc.nat(2))).map(([request, draws]): OtlpRequest => {
  for (const { scopeSpans = [] } of request.resourceSpans ?? [])
    for (const { spans = [] } of scopeSpans)
      for (const span of spans) if (draws.next().value === 0) span.traceId = DELETED;
  return request;
});

/** Ways in which senders write JSON: with spaces, names in snake_case, escapes in names, ids in capitals and unknown members. */
const styles = fc.record({ space: fc.constantFrom("", " ", "\n\t"), snake: fc.boolean(), escaped: fc.boolean() });

function styled(request: OtlpRequest, { space, snake, escaped }: { space: string; snake: boolean; escaped: boolean }) {
  let text = JSON.stringify({ unknown: [{ spans: ["]"] }], ...request, other: '"spans":[' }, null, space);
  if (snake)
    text = text
      .replaceAll(/"(resource|scope)Spans"(?=\s*:)/g, '"$1_spans"')
      .replaceAll(/"traceId"(?=\s*:)/g, '"trace_id"');
  if (escaped)
    text = text.replaceAll(/"spans"(?=\s*:)/g, String.raw`"sp\u0061ns"`).replaceAll(DELETED, DELETED.toUpperCase());
  return Buffer.from(text);
}

function rowsOf(decode: typeof decodeJson, body: Buffer) {
  const batch = new SpanBatch(64, 16_384);
  decode(body, batch, CONTEXT);
  return readRows(batch);
}

function expectOthers(decode: typeof decodeJson, encoding: "json" | "protobuf", body: Buffer): void {
  const others = rowsOf(decode, body).filter(({ trace_id }) => trace_id !== DELETED);
  const rest = withoutTraces(body, encoding, isDeleted);
  expect(rest === null ? [] : rowsOf(decode, rest)).toEqual(others);
  if (rest === null) expect(others).toEqual([]);
  else expect(withoutTraces(rest, encoding, isDeleted)).toBe(rest);
}

describe("a body without the spans of a deleted conversation", () => {
  test("a body without the spans of a deleted conversation has the other spans unchanged, in JSON of any style", () => {
    fc.assert(
      fc.property(requests, styles, (request, style) => expectOthers(decodeJson, "json", styled(request, style))),
      { numRuns: 150 },
    );
  });

  test("a body without the spans of a deleted conversation has the other spans unchanged, in protobuf", () => {
    fc.assert(
      fc.property(requests, (request) => expectOthers(decodeProtobuf, "protobuf", encodeProtobuf(request))),
      { numRuns: 100 },
    );
  });

  test("a body without the spans of a deleted conversation is made of a body that is nested deeply, which a parser would refuse", () => {
    const spans = [aSpan({ traceId: DELETED }), aSpan()];
    const request = encodeJson({ resourceSpans: [{ scopeSpans: [{ spans }] }] }).toString();
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    const body = Buffer.from(request.replace(/}$/, `,"future":${deep}}`));
    expectOthers(decodeJson, "json", body);
    expect(withoutTraces(body, "json", isDeleted)!.includes(deep)).toBe(true);
  });

  test.each(["json", "protobuf"] as const)(
    "a body without the spans of a deleted conversation is made of 200,000 spans in %s",
    (encoding) => {
      const deleted = encoding === "json" ? encodeJson : encodeProtobuf;
      const one = deleted({ resourceSpans: [{ scopeSpans: [{ spans: [aSpan({ traceId: DELETED })] }] }] });
      const many = exportOf("spans without a name", encoding, 200_000);
      const body =
        encoding === "json"
          ? Buffer.from(
              many.toString().replace('"resourceSpans":[', `"resourceSpans":[${one.toString().slice(18, -2)},`),
            )
          : Buffer.concat([one, many]);
      const rest = withoutTraces(body, encoding, isDeleted)!;
      expect(rest.length).toBe(many.length);
      expect(rest.equals(many)).toBe(true);
    },
  );
});
