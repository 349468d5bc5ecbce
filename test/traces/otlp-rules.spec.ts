import { describe, expect, test } from "vitest";
import { createDecoder } from "../../packages/server/src/traces/otlp/decoder.ts";
import { CUT_MARK } from "../../packages/server/src/traces/otlp/limits.ts";
import type { DecodeResult } from "../../packages/server/src/traces/otlp/span-rows.ts";
import { SpanBatch } from "../../packages/server/src/traces/span-batch.ts";
import { CONTEXT } from "../support/otlp-reference.ts";
import { aSpan, attribute, encodeJson, encodeProtobuf, oneSpan, type OtlpRequest } from "../support/otlp.ts";
import { readRows, type SpanRow } from "../support/span-rows.ts";

const { decodeJson, decodeProtobuf } = createDecoder();

/** Decodes a request from both encodings, which must give the same rows. */
function take(request: OtlpRequest): { rows: SpanRow[]; decoded: DecodeResult; heapUsed: number } {
  const [protobuf, json] = [new SpanBatch(4, 64), new SpanBatch(4, 64)];
  const decoded = decodeProtobuf(encodeProtobuf(request), protobuf, CONTEXT);
  expect(decodeJson(encodeJson(request), json, CONTEXT)).toEqual(decoded);
  const rows = readRows(protobuf);
  expect(readRows(json)).toEqual(rows);
  return { rows, decoded, heapUsed: protobuf.heapUsed };
}

const takeOne = (span: Parameters<typeof oneSpan>[0]) => take(oneSpan(span)).rows[0]!;
const bytes = (text: string | null) => Buffer.byteLength(text!);

describe("a rejected span", () => {
  test.each([
    ["bad trace id", { traceId: "" }],
    ["bad trace id", { traceId: "0af7651916cd43dd8448eb211c8031" }],
    ["bad trace id", { traceId: "00".repeat(16) }],
    ["bad span id", { spanId: "" }],
    ["bad span id", { spanId: "b7ad6b716920333100" }],
    ["bad span id", { spanId: "00".repeat(8) }],
    ["no start time", { startTimeUnixNano: "0" }],
    ["time out of range", { startTimeUnixNano: "9223372036854775808" }],
    ["time out of range", { endTimeUnixNano: "18446744073709551615" }],
  ] as const)(
    "%s: the span is counted and leaves nothing behind, and its neighbours are accepted",
    (reason, broken) => {
      const request = (spans: ReturnType<typeof aSpan>[]): OtlpRequest => ({
        resourceSpans: [{ scopeSpans: [{ spans }] }],
      });
      const [before, after] = [aSpan({ name: "before" }), aSpan({ name: "after" })];
      const bad = aSpan({
        ...broken,
        attributes: [attribute("session.id", "x")],
        parentSpanId: "ff".repeat(8),
        flags: 9,
      });
      const { decoded, ...left } = take(request([before, bad, after]));
      expect(decoded).toEqual({ accepted: 2, rejected: 1, reasons: { [reason]: 1 } });
      const { rows, heapUsed } = take(request([before, after]));
      expect(left).toEqual({ rows, heapUsed });
    },
  );

  test("a span without an end, name or attributes is accepted", () => {
    const { rows } = take(oneSpan({ name: "", endTimeUnixNano: "0" }));
    expect(rows[0]).toMatchObject({ name: "", end_ns: 0n, attributes: "{}", events: null, links: null, agent: null });
  });

  test.each(["", "00".repeat(8), "abcd", "ab".repeat(9)])("parent id %j means no parent", (parentSpanId) => {
    expect(takeOne({ parentSpanId }).parent_span_id).toBeNull();
  });

  test("the latest time that fits into 64 bits is accepted", () => {
    expect(takeOne({ startTimeUnixNano: String(2n ** 63n - 1n) }).start_ns).toBe(2n ** 63n - 1n);
  });
});

describe("text over its limit", () => {
  const long = (size: number) => "日".repeat(Math.ceil(size / 3) + 1);
  const expectCut = (text: string, limit: number) => {
    expect(text.endsWith(CUT_MARK)).toBe(true);
    expect(text.slice(0, -CUT_MARK.length)).toMatch(/^日+$/);
    expect(bytes(text)).toBeLessThanOrEqual(limit);
    expect(bytes(text)).toBeGreaterThan(limit - 3);
  };

  test("a name and a trace state are cut at 1 KiB, and a status message at 16 KiB, with a mark", () => {
    const row = takeOne({ name: long(1024), traceState: long(1024), status: { code: 2, message: long(16 << 10) } });
    expectCut(row.name!, 1024);
    expectCut(row.trace_state!, 1024);
    expectCut(row.status_message!, 16 << 10);
  });

  test("an attribute is cut at 1 MiB, even in a list", () => {
    const row = takeOne({ attributes: [attribute("a", long(1 << 20)), attribute("b", [long(1 << 20)])] });
    const { a, b } = JSON.parse(row.attributes!) as { a: string; b: string[] };
    expectCut(a, 1 << 20);
    expectCut(b[0]!, 1 << 20);
  });

  test("bytes are cut at 1 MiB of base64", () => {
    const row = takeOne({ attributes: [attribute("a", Buffer.alloc(1 << 20))] });
    const { a } = JSON.parse(row.attributes!) as { a: string };
    expect(a.endsWith(CUT_MARK)).toBe(true);
    expect(bytes(a)).toBeLessThanOrEqual(1 << 20);
  });

  test("the names of a conversation and an agent are cut at 256 bytes, on the span and on the resource", () => {
    const attributes = [attribute("session.id", long(256)), attribute("gen_ai.agent.name", long(256))];
    for (const request of [oneSpan({ attributes }), onResource(attributes)]) {
      const [row] = take(request).rows;
      expectCut(row!.conversation!, 256);
      expectCut(row!.agent!, 256);
    }
  });

  test.each([0, 1, 2, 3])("a cut never splits a character: a name of emoji after %i letters", (letters) => {
    const { name } = takeOne({ name: "x".repeat(letters) + "😀".repeat(300) });
    expect(name).toMatch(/^x*(😀)+… \[cut\]$/u);
  });

  test("a text of exactly the limit is not cut", () => {
    expect(takeOne({ name: "n".repeat(1024) }).name).toBe("n".repeat(1024));
  });

  test("a resource's value is cut at 64 KiB, and attributes after the first 64 KiB are counted as dropped", () => {
    const [row] = take(
      onResource([attribute("a", long(64 << 10)), attribute("b", "dropped"), attribute("c", 1n)]),
    ).rows;
    const { attributes, dropped } = JSON.parse(row!.resource) as {
      attributes: Record<string, string>;
      dropped: number;
    };
    expectCut(attributes["a"]!, 64 << 10);
    expect(Object.keys(attributes)).toEqual(["a"]);
    expect(dropped).toBe(2);
  });
});

const onResource = (attributes: ReturnType<typeof attribute>[], span = {}): OtlpRequest => ({
  resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans: [aSpan(span), aSpan(span)] }] }],
});

describe("the conversation and the agent of a span", () => {
  test("the conversation and the agent of a span come from the strongest key, whether it is on the span or on its resource", () => {
    const attributes = [attribute("session.id", "weak"), attribute("lk.job_id", "strong")];
    expect(takeOne({ attributes })).toMatchObject({ conversation: "strong", conversation_rank: 1 });
    const { rows } = take(onResource([attribute("svc.session_id", "strongest")], { attributes }));
    expect(rows).toMatchObject([
      { conversation: "strongest", conversation_rank: 0 },
      { conversation: "strongest", conversation_rank: 0 },
    ]);
  });

  test("the names of conversation and agent come from the span when its resource has the same attribute", () => {
    const { rows } = take(
      onResource([attribute("session.id", "resource")], { attributes: [attribute("session.id", "span")] }),
    );
    expect(rows[0]!.conversation).toBe("span");
  });

  test("the conversation and the agent of a span can be a text or an integer, but not an empty text or a value of another type", () => {
    expect(takeOne({ attributes: [attribute("svc.session_id", ""), attribute("room_id", 17n)] }).conversation).toBe(
      "17",
    );
    const others = [true, 1.5, ["x"], { x: "y" }, Buffer.from("x"), null];
    for (const value of others)
      expect(takeOne({ attributes: [attribute("session.id", value)] }).conversation).toBeNull();
  });

  test("the conversation and the agent of a span keep characters that JSON escapes", () => {
    const name = 'tab\t "quoted" \\ é';
    const attributes = [attribute("svc.agent_name", name), attribute("session.id", name)];
    expect(takeOne({ attributes })).toMatchObject({ agent: name, conversation: name });
    expect(take(onResource(attributes)).rows[0]).toMatchObject({ agent: name, conversation: name });
  });

  test("the conversation and the agent of a span do not carry over from one resource to the spans of the next", () => {
    const request: OtlpRequest = {
      resourceSpans: [...onResource([attribute("session.id", "a")]).resourceSpans!, ...oneSpan().resourceSpans!],
    };
    expect(take(request).rows.map((row) => row.conversation)).toEqual(["a", "a", null]);
  });
});

test("numbers keep their value: integers as digits, NaN and infinities as texts", () => {
  const attributes = [
    attribute("least", -(2n ** 63n)),
    attribute("most", 2n ** 63n - 1n),
    attribute("nan", NaN),
    attribute("up", Infinity),
    attribute("down", -Infinity),
    attribute("zero", -0),
    attribute("huge", 1.5e300),
  ];
  expect(takeOne({ attributes }).attributes).toBe(
    '{"least":-9223372036854775808,"most":9223372036854775807,"nan":"NaN","up":"Infinity","down":"-Infinity","zero":0,"huge":1.5e+300}',
  );
});
