import { request } from "node:http";
import { gzipSync } from "node:zlib";
import { type ErrorCode, ERRORS, LIMITS } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RpcStatus } from "../../packages/server/src/traces/otlp/trace-proto.ts";
import { encodeJson, encodeProtobuf, oneSpan } from "../support/otlp.ts";
import { type Ask, expectRefusal, type Reply, send } from "../support/request.ts";
import { startServer } from "../support/server.ts";
import { openWorld, type World } from "../support/world.ts";

const PROTOBUF = "application/x-protobuf";
const JSON_TYPE = "application/json";
const ENCODINGS: Record<string, Buffer> = { [PROTOBUF]: encodeProtobuf(oneSpan()), [JSON_TYPE]: encodeJson(oneSpan()) };

/** The google.rpc.Code for each status with which the service refuses a body of spans. */
const RPC_CODE: Record<number, number> = { 400: 3, 401: 16, 403: 7, 413: 3, 415: 3, 429: 8 };

const ingest = (type: string, more: Partial<Ask>): Ask => ({
  method: "POST",
  path: "/v1/traces",
  body: ENCODINGS[type]!,
  ...more,
  headers: { "content-type": type, ...more.headers },
});

/** Expects a refusal in the encoding of the request: a google.rpc.Status, or the error body of the contract. */
function expectIngestRefusal(reply: Reply, type: string, code: ErrorCode) {
  if (type !== PROTOBUF) return void expectRefusal(reply, code);
  expect(reply.status).toBe(ERRORS[code].status);
  expect(reply.headers.get("content-type")).toBe(PROTOBUF);
  const status = RpcStatus.decode(reply.bytes) as unknown as { code: number; message: string };
  expect(status.code).toBe(RPC_CODE[reply.status]);
  expect(status.message.length).toBeGreaterThan(10);
  expect(status.message).not.toMatch(/svc_sk_[A-Za-z0-9_-]{10}/);
}

let w: World;
beforeAll(async () => {
  w = await openWorld();
});
afterAll(() => w.stop());

const chunks = (bytes: Buffer) =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
const overLimit = Buffer.alloc(LIMITS.traceBodyBytes + 1, 1);
const gzip = { "content-encoding": "gzip" };

type Case = [name: string, code: ErrorCode, ask: (w: World) => Partial<Ask>];

const CASES: Case[] = [
  ["without a credential", "not_authenticated", () => ({})],
  ["with a revoked key", "not_authenticated", (w) => ({ key: w.revokedKey })],
  ["with a session", "not_authenticated", (w) => ({ cookie: w.adminCookie })],
  ["with an organization-wide key", "not_permitted", (w) => ({ key: w.adminKey })],
  ["with a viewer's project key", "not_permitted", (w) => ({ key: w.viewerProjectKey })],
  ["with more than 20 MiB, declared", "payload_too_large", (w) => ({ key: w.projectKey, body: overLimit })],
  ["with more than 20 MiB, in chunks", "payload_too_large", (w) => ({ key: w.projectKey, body: chunks(overLimit) })],
  [
    "with more than 20 MiB when inflated",
    "payload_too_large",
    (w) => ({ key: w.projectKey, body: gzipSync(overLimit), headers: gzip }),
  ],
  [
    "in an unsupported compression",
    "unsupported_media_type",
    (w) => ({ key: w.projectKey, headers: { "content-encoding": "br" } }),
  ],
  ["with gzip that is none", "invalid_request", (w) => ({ key: w.projectKey, headers: gzip })],
  [
    "with gzip that is cut short",
    "invalid_request",
    (w) => ({ key: w.projectKey, headers: gzip, body: gzipSync(overLimit.subarray(0, 9)).subarray(0, 15) }),
  ],
  [
    "with what is not an export",
    "invalid_request",
    (w) => ({ key: w.projectKey, body: Buffer.from([0xff, 0xff, 0xff]) }),
  ],
];

describe.each([PROTOBUF, JSON_TYPE])("an export in %s", (type) => {
  test.each(CASES)("%s is refused with the code %s in the same encoding", async (_, code, ask) => {
    expectIngestRefusal(await send(w.url, ingest(type, ask(w))), type, code);
  });

  test("an export is checked in this order: credential, permission, declared length, content type, body", async () => {
    const everything = { body: overLimit, headers: { "content-encoding": "br" } };
    const codeOf = async (more: Partial<Ask>) => (await send(w.url, ingest(type, { ...everything, ...more }))).status;
    expect(await codeOf({})).toBe(401);
    expect(await codeOf({ key: w.adminKey })).toBe(403);
    expect(await codeOf({ key: w.projectKey })).toBe(413);
    expect(await codeOf({ key: w.projectKey, body: Buffer.from([0xff]) })).toBe(415);
    expect(await codeOf({ key: w.projectKey, body: Buffer.from([0xff]), headers: gzip })).toBe(400);
  });
});

test.each(["text/plain", "application/octet-stream", ""])(
  "an export with the content type %j is refused",
  async (type) => {
    const reply = await send(w.url, {
      method: "POST",
      path: "/v1/traces",
      key: w.projectKey,
      body: Buffer.from("{}"),
      headers: { "content-type": type },
    });
    expectRefusal(reply, "unsupported_media_type");
  },
);

test("a declared length over 20 MiB is refused before the client sends the body", async () => {
  const status = await new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${w.projectKey}`,
      "content-type": PROTOBUF,
      "content-length": LIMITS.traceBodyBytes + 1,
    };
    const asked = request(`${w.url}/v1/traces`, { method: "POST", headers }, (answer) => {
      resolve(answer.statusCode);
      asked.destroy();
    });
    asked.on("error", reject);
    asked.flushHeaders();
  });
  expect(status).toBe(413);
});

test("an export over the rate limit is refused with 429 before its permission and body are checked", async () => {
  const server = await startServer({ settings: { SVC_RATE_LIMIT_PER_MINUTE: "1" } });
  for (const type of [PROTOBUF, JSON_TYPE]) {
    for (const key of [server.projectKey, server.adminKey]) {
      const reply = await send(server.url, ingest(type, { key, body: overLimit }));
      expectIngestRefusal(reply, type, "too_many_requests");
      expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0);
    }
  }
  await server.stop();
});
