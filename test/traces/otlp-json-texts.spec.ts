import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createDecoder } from "../../packages/server/src/traces/otlp/decoder.ts";
import { MalformedBody } from "../../packages/server/src/traces/otlp/malformed-body.ts";
import { SpanBatch } from "../../packages/server/src/traces/span-batch.ts";
import { IS_LONG } from "../support/long-form.ts";
import { CONTEXT } from "../support/otlp-reference.ts";
import { oneSpan } from "../support/otlp.ts";
import { readRows } from "../support/span-rows.ts";
import { placeInJson } from "../../packages/server/src/base/json-place.ts";

const { decodeJson } = createDecoder();

function rows(body: string | Buffer) {
  const batch = new SpanBatch(2, 64);
  decodeJson(Buffer.from(body), batch, CONTEXT);
  return readRows(batch);
}

/** Returns the message of the refusal, or "accepted". */
function outcomeOf(body: string): string {
  try {
    rows(body);
  } catch (error) {
    expect(error).toBeInstanceOf(MalformedBody);
    return (error as Error).message;
  }
  return "accepted";
}

const SPAN = JSON.stringify(oneSpan());
/** Returns a request in JSON whose only span has these further members. */
const spanWith = (members: string) => SPAN.replace("}]}]}]}", `,${members}}]}]}]}`);
const attribute = (value: string) => spanWith(`"attributes":[{"key":"k","value":${value}}]`);

const escapedUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
const everyUnitEscaped = (text: string) => `"${text.split("").map(escapedUnit).join("")}"`;

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom('"', "\\", "/", "\b", "\f", "\n", "\r", "\t", "\u001f", "é", "😀", "\ud83d", "\ude00", "a"),
  }),
);
const anyString = fc.tuple(anyText, fc.nat(2)).map(([text, way]) => {
  if (way === 0) return JSON.stringify(text);
  return way === 1 ? everyUnitEscaped(text) : JSON.stringify(text).replaceAll("/", "\\/").replaceAll("a", "\\u0061");
});

const space = fc.constantFrom("", "", " ", "\n      ", "\r\n\t", "\u00a0");
const scalar = fc.oneof(
  anyString,
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom("0", "-0", "1.0", "1E+2", "1e400", "null", "true", "false", "{}", "[]"),
  fc.constantFrom(
    "01",
    "-",
    "1.",
    ".5",
    "1e",
    "+1",
    "NaN",
    "nul",
    "truth",
    '"\\x"',
    '"\\u12G4"',
    '"a',
    '"a\nb"',
    "'a'",
    "",
  ),
);
const { json } = fc.letrec<{ json: string; object: string; list: string }>((tie) => ({
  json: fc.oneof({ depthSize: "small" }, { weight: 4, arbitrary: scalar }, tie("object"), tie("list")),
  object: fc
    .array(fc.tuple(space, anyString, space, tie("json")), { maxLength: 3 })
    .map(
      (members) =>
        `{${members.map(([before, name, after, value]) => `${before}${name}${after}:${value}${before}`).join()}}`,
    ),
  list: fc.array(tie("json"), { maxLength: 3 }).map((items) => `[${items.join(" ,")}]`),
}));

test("a text is refused exactly when JSON.parse refuses it, and at the place that it names", () => {
  fc.assert(
    fc.property(json, space, fc.nat(), fc.constantFrom("", "", "}", ",", '"', "\\"), (value, around, at, extra) => {
      const text = `{${around}"future":${value}${around},"resourceSpans":[]}`;
      const body = text.slice(0, at % text.length) + extra + text.slice(at % text.length);
      let expected = "accepted";
      try {
        JSON.parse(Buffer.from(body).toString());
      } catch (error) {
        expected = `it is not valid JSON${placeInJson(error)}.`;
      }
      expect(outcomeOf(body)).toContain(expected);
    }),
    { numRuns: IS_LONG ? 3_000 : 600 },
  );
});

test("a text with any escapes is the text of JSON.parse, with U+FFFD for a lone surrogate", () => {
  fc.assert(
    fc.property(anyString, anyString, (name, value) => {
      const [row] = rows(spanWith(`"name":${name},"attributes":[{"key":${value},"value":{"stringValue":${value}}}]`));
      const text = (string: string) => (JSON.parse(string) as string).toWellFormed();
      expect(row!.name).toBe(text(name));
      expect(Object.entries(JSON.parse(row!.attributes!) as object)).toEqual([[text(value), text(value)]]);
    }),
    { numRuns: IS_LONG ? 1_000 : 250 },
  );
});

test("a 64-bit integer is exact in digits and in a string, and a larger one is refused", () => {
  const edge = fc.constantFrom(2n ** 63n - 1n, 2n ** 63n, -(2n ** 63n), -(2n ** 63n) - 1n, 2n ** 64n, 10n ** 20n, 0n);
  const digits = fc.oneof(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), fc.bigInt(-(2n ** 70n), 2n ** 70n), edge);
  fc.assert(
    fc.property(digits, fc.boolean(), (whole, quoted) => {
      const body = attribute(`{"intValue":${quoted ? `"${whole}"` : whole}}`);
      if (whole !== BigInt.asIntN(64, whole)) expect(outcomeOf(body)).toContain("a whole number of 64 bits");
      else expect(rows(body)[0]!.attributes).toBe(`{"k":${whole}}`);
    }),
    { numRuns: IS_LONG ? 1_000 : 250 },
  );
});

test.each([
  ['{"\\u0069nt\\u005fvalue":9007199254740993}', "9007199254740993"],
  ['{"intValue" :\n9007199254740993 }', "9007199254740993"],
  ['{"intValue":-9007199254740993}', "-9007199254740993"],
  ['{"intValue":9007199254740993.0}', "9007199254740992"],
  ['{"intValue":9e18}', "9000000000000000000"],
  ['{"stringValue":"\\"intValue\\":9007199254740993,"}', String.raw`"\"intValue\":9007199254740993,"`],
  ['{"doubleValue":9007199254740993}', "9007199254740992"],
])("a number of many digits is exact in a member of 64 bits alone: %s", (value, expected) => {
  const span = SPAN.replace(/"startTimeUnixNano":"(\d+)"/, '"startTimeUnixNano":1795251159551000001');
  const [row] = rows(span.replace("}]}]}]}", `,"attributes":[{"key":"k","value":${value}}]}]}]}]}`));
  expect(row!.attributes).toBe(`{"k":${expected}}`);
  expect(row!.start_ns).toBe(1_795_251_159_551_000_001n);
});

test("a text of many digits is refused where a text is expected and it is a number", () => {
  const value = '{"stringValue":9007199254740993}';
  expect(outcomeOf(spanWith(`"traceState":"t","attributes":[{"key":"k","value":${value}}]`))).toContain("a string");
});

describe("a member that is repeated", () => {
  test("the last member counts", () => {
    expect(rows(spanWith('"name":"first","name":"last"'))[0]!.name).toBe("last");
  });

  test.each([
    ['{"stringValue":"a","intValue":1}', "1"],
    ['{"stringValue":"a","intValue":1,"stringValue":"b"}', "1"],
    ['{"stringValue":"a","intValue":null}', '"a"'],
    ['{"stringValue":"a","stringValue":null}', "null"],
    ['{"string_value":"a","stringValue":"b"}', '"b"'],
  ])("an attribute has the value of its last member that is not null: %s", (value, expected) => {
    expect(rows(attribute(value))[0]!.attributes).toBe(`{"k":${expected}}`);
  });

  test("the name in camelCase counts before the one in snake_case, unless it is null", () => {
    const parent = '"parent_span_id":"b7ad6b7169203331"';
    expect(rows(spanWith(`"parentSpanId":"",${parent}`))[0]!.parent_span_id).toBeNull();
    expect(rows(spanWith(`"parentSpanId":null,${parent}`))[0]!.parent_span_id).toBe("b7ad6b7169203331");
  });
});

test("a member's name may be escaped", () => {
  expect(rows(spanWith(`${everyUnitEscaped("name")}:"escaped"`))[0]!.name).toBe("escaped");
});

test("bytes of JSON that are not UTF-8 are replaced by U+FFFD", () => {
  const body = Buffer.from(spanWith('"name":"a#b"'));
  body[body.indexOf("#")] = 0xff;
  expect(rows(body)[0]!.name).toBe("a\ufffdb");
});

test.each(["null", "{}", "5", "true", '"unknown"', "[]"])(
  "a member with the unknown value %s changes nothing",
  (value) => {
    expect(rows(spanWith(`"name":"n","unknown":${value}`))).toEqual(rows(spanWith('"name":"n"')));
  },
);
