import { bodyBytesOf, mayOmitBody, LIMITS } from "@svc/contract";
import { z } from "zod";
import { INPUTS, type OperationName } from "../../support/operation-inputs.ts";
import { askOf, type FlatInput } from "../../support/operation-request.ts";
import type { Ask } from "../../support/request.ts";
import { aTest, type World } from "../../support/world.ts";
import { bareAsk, readAsk, type Row, takingJson } from "./row.ts";

const JSON_TYPE = { "content-type": "application/json" };

const OTHER_TYPES = { "an object": {}, null: null, "a number": 5 };

/** Returns a stream of the bytes, which is sent in chunks and without a declared length. */
const stream = (bytes: Buffer) =>
  new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 65_536) controller.enqueue(bytes.subarray(at, at + 65_536));
      controller.close();
    },
  });

const ofForm: Row[] = takingJson.flatMap((named) => {
  const { name, operation: op } = named;
  const tooLarge = Buffer.alloc(bodyBytesOf(op) + 1, " ");
  const row = (what: string, code: Row["code"], ask: () => Partial<Ask>): Row => ({
    name: `${name} with ${what}`,
    code,
    ask: (w) => readAsk(w, named, { ...bareAsk(op), json: undefined, ...ask() }),
  });
  return [
    ...(mayOmitBody(op)
      ? []
      : [
          row("no body", "invalid_request", () => ({})),
          row("an empty body", "invalid_request", () => ({ body: "", headers: JSON_TYPE })),
        ]),
    row("broken JSON", "invalid_request", () => ({ body: '{"name": ', headers: JSON_TYPE })),
    row("bytes that are no UTF-8", "invalid_request", () => ({
      body: Buffer.from('{"name":"\xff"}', "latin1"),
      headers: JSON_TYPE,
    })),
    row("half a surrogate pair", "invalid_request", () => ({
      body: String.raw`{"name":"\ud800"}`,
      headers: JSON_TYPE,
    })),
    ...["[]", "null", '"text"', "7"].map((body) =>
      row(`the body ${body}`, "invalid_request", () => ({ body, headers: JSON_TYPE })),
    ),
    row("JSON under another content type", "unsupported_media_type", () => ({
      body: "{}",
      headers: { "content-type": "text/plain" },
    })),
    ...(op.acceptsForm
      ? []
      : [
          row("a form", "unsupported_media_type", () => ({
            body: "name=x",
            headers: { "content-type": "application/x-www-form-urlencoded" },
          })),
        ]),
    row("compressed JSON", "unsupported_media_type", () => ({
      body: "{}",
      headers: { ...JSON_TYPE, "content-encoding": "gzip" },
    })),
    row("a declared length over its limit", "payload_too_large", () => ({ body: tooLarge, headers: JSON_TYPE })),
    row("chunks that grow over its limit", "payload_too_large", () => ({ body: stream(tooLarge), headers: JSON_TYPE })),
    row("a body that is nested too deep", "unprocessable", () => ({
      body: "[".repeat(LIMITS.jsonBodyDepth + 1),
      headers: JSON_TYPE,
    })),
    ...(bodyBytesOf(op) < LIMITS.jsonBodyValues * 2
      ? []
      : [
          row("too many values", "unprocessable", () => ({
            body: `[${"0,".repeat(LIMITS.jsonBodyValues - 1)}0]`,
            headers: JSON_TYPE,
          })),
        ]),
    ...(op.acceptsForm
      ? [
          row("a form over its limit", "payload_too_large", () => ({
            body: stream(tooLarge),
            headers: { "content-type": "application/x-www-form-urlencoded" },
          })),
        ]
      : []),
  ];
});

const ofMembers: Row[] = takingJson.flatMap((named) => {
  const { name, operation: op } = named;
  const row = (what: string, path: string, change: (body: FlatInput) => void): Row => ({
    name: `${name} ${what}`,
    code: "invalid_request",
    details: () => ({ issues: [{ path }] }),
    ask: async (w: World) => {
      const ask = askOf(op, await INPUTS[name as OperationName](w));
      change(ask.json as FlatInput);
      return readAsk(w, named, ask);
    },
  });
  const members = op.body === undefined || op.body === "otlp" ? [] : Object.entries(op.body.shape);
  const required = members.filter(([, schema]) => !schema.safeParse(undefined).success);
  return [
    row("with an unknown member", "", (body) => (body.unknown = true)),
    row("with the unknown member __proto__", "", (body) =>
      Object.defineProperty(body, "__proto__", { value: 1, enumerable: true }),
    ),
    ...required.map(([member]) => row(`without ${member}`, member, (body) => delete body[member])),
    ...members.flatMap(([member, schema]) =>
      Object.entries(OTHER_TYPES)
        .filter(([, value]) => !takes(schema, value))
        .map(([what, value]) => row(`with ${what} as ${member}`, member, (body) => (body[member] = value))),
    ),
  ];
});

/**
 * Returns whether a member accepts a value of this type. An object member accepts any object here, because its members have their
 * own rows.
 */
function takes(schema: z.core.$ZodType, value: unknown): boolean {
  if (schema instanceof z.ZodOptional) return takes(schema.unwrap(), value);
  const isObject = value !== null && typeof value === "object";
  if (schema instanceof z.ZodObject || schema instanceof z.ZodDiscriminatedUnion) return isObject;
  return (schema instanceof z.ZodNumber && typeof value === "number") || z.safeParse(schema, value).success;
}

/** Numbers that a double cannot hold exactly. */
const LOST = ["12345678901234567890", "-9007199254740993", "1e400", "1e-400", "0.1000000000000000055"];

const ofNumbers: Row[] = LOST.flatMap((number) => {
  const row = (name: OperationName, at: string, ask: (w: World) => Ask | Promise<Ask>): Row => ({
    name: `${name} with the number ${number}`,
    code: "unprocessable",
    details: () => ({ issues: [{ path: `${at}.rows.1.price` }] }),
    ask: async (w) => ({ ...(await ask(w)), key: w.projectKey, headers: JSON_TYPE }),
  });
  const answer = `{"id":1e2,"rows":[0.5,{"price":${number}}]}`;
  const mocks = `[{"tool":"u","answer":1},{"tool":"t","answer":${answer}}]`;
  const test = `{"name":"n","scenario":"s","expected_behaviors":["b"],"mock_tools":${mocks}}`;
  return [
    row("mockTools.create", "answer", () => ({
      method: "POST",
      path: "/v1/mock-tools",
      body: `{"tool":"t","answer":${answer}}`,
    })),
    row("mockTools.edit", "answer", async (w) => {
      const { mockToolId } = (await INPUTS["mockTools.edit"](w)) as { mockToolId: string };
      return { method: "PATCH", path: `/v1/mock-tools/${mockToolId}`, body: `{"answer":${answer}}` };
    }),
    row("tests.create", "mock_tools.1.answer", () => ({ method: "POST", path: "/api/tests", body: test })),
    row("tests.edit", "mock_tools.1.answer", async (w) => {
      const { testId, expected_version_id } = (await INPUTS["tests.edit"](w)) as Record<string, string>;
      const body = `{"expected_version_id":"${expected_version_id}","mock_tools":${mocks}}`;
      return { method: "PATCH", path: `/api/tests/${testId}`, body };
    }),
    row("tests.import", "tests.0.mock_tools.1.answer", () => ({
      method: "POST",
      path: "/api/tests/import",
      body: `{"tests":[${test}]}`,
    })),
  ];
});

const repeatedMocks = { mock_tools: ["t", "u", " t "].map((tool) => ({ tool, answer: 1 })) };
const issues = () => ({ issues: [{ path: "mock_tools.2.tool" }] });
const ofMocks: Row[] = [
  {
    name: "tests.create with two mocks of one tool",
    code: "unprocessable",
    details: issues,
    ask: (w) => ({ method: "POST", path: "/api/tests", key: w.projectKey, json: { ...aTest(), ...repeatedMocks } }),
  },
  {
    name: "tests.edit with two mocks of one tool",
    code: "unprocessable",
    details: issues,
    ask: async (w) => {
      const { testId, expected_version_id } = (await INPUTS["tests.edit"](w)) as Record<string, string>;
      const json = { expected_version_id, ...repeatedMocks };
      return { method: "PATCH", path: `/api/tests/${testId}`, key: w.projectKey, json };
    },
  },
];

export const bodies: Row[] = [...ofForm, ...ofMembers, ...ofNumbers, ...ofMocks];
