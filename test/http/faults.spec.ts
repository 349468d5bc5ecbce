import { connect } from "node:net";
import type { Log } from "@svc/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RpcStatus } from "../../packages/server/src/traces/otlp/trace-proto.ts";
import { openBareService } from "../support/bare-service.ts";
import { withoutTable } from "../support/away-table.ts";
import { encodeProtobuf, oneSpan } from "../support/otlp.ts";
import { type Person, signUp } from "../support/people.ts";
import { expectRefusal, send } from "../support/request.ts";
import { until } from "../support/until.ts";

const lines: { context: Record<string, unknown>; text: string }[] = [];
const note = (context: unknown, text?: string) =>
  void lines.push({ context: context as Record<string, unknown>, text: text ?? "" });
const log = { info: note, warn: note, error: note } as Log;

let service: Awaited<ReturnType<typeof openBareService>>;
let founder: Person;
beforeAll(async () => {
  service = await openBareService({}, log);
  founder = await signUp(service.url, "founder@acme.test");
});
afterAll(() => service.stop());

test("a fault answers 500 with the request's id and without its message, which is in the log under that id", async () => {
  const list = { method: "GET", path: "/api/tests", key: founder.key };
  await withoutTable(service.dataDir, "tests", async () => {
    const reply = await send(service.url, list);
    const { details, message } = expectRefusal(reply, "internal_error");
    expect(details).toEqual({ request_id: reply.headers.get("x-request-id") });
    expect(message).not.toMatch(/sqlite|table|relation|select|tests/i);
    const fault = lines.find(({ context, text }) => text === "fault" && context.request_id === details!.request_id);
    expect((fault!.context.err as Error).message).toMatch(/no such table: tests|relation "tests" does not exist/);
  });
  expect((await send(service.url, list)).status).toBe(200);
});

test("a fault during a protobuf export answers with a google.rpc.Status in protobuf", async () => {
  const { projects } = await founder.client.projects.list();
  const { secret } = await founder.client.keys.create({ project_id: projects[0]!.id });
  await withoutTable(service.dataDir, "projects", async () => {
    const headers = { "content-type": "application/x-protobuf" };
    const reply = await send(service.url, {
      method: "POST",
      path: "/v1/traces",
      key: secret,
      body: encodeProtobuf(oneSpan()),
      headers,
    });
    expect([reply.status, reply.headers.get("content-type")]).toEqual([500, "application/x-protobuf"]);
    const status = RpcStatus.decode(reply.bytes) as unknown as { code: number; message: string };
    expect(status.code).toBe(13);
    expect(status.message).not.toMatch(/sqlite|table|relation/i);
  });
});

test("every request writes one log line, with its id and without secrets", async () => {
  const reply = await send(service.url, { method: "GET", path: "/v1/organization?secret=1", key: founder.key });
  const logged = lines.filter(({ context }) => context.request_id === reply.headers.get("x-request-id"));
  expect(logged).toMatchObject([
    { text: "request", context: { method: "GET", path: "/v1/organization", status: 400 } },
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/svc_sk_[A-Za-z0-9_-]{10}|a long enough password/);
});

test("a client that leaves, or that sends no HTTP, writes no error and none of its bytes into the log", async () => {
  const from = lines.length;
  const head = `POST /v1/traces HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${founder.key}\r\nContent-Type: application/json\r\n`;
  const sent = [
    "Content-Length: 1000\r\n\r\n{",
    "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
    "Transfer-Encoding: chunked\r\n\r\n5\r\nab",
  ];
  for (const [at, rest] of sent.entries()) {
    const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
    socket.on("error", () => undefined).resume();
    socket.write(head + rest);
    await until("the request is read", () => socket.bytesWritten > 0);
    if (at === 2) socket.resetAndDestroy();
    else socket.end();
  }
  const requests = () => lines.slice(from).filter(({ text }) => text === "request");
  await until("each request has its line", () => requests().length === sent.length);
  expect(lines.slice(from).filter(({ text }) => text !== "request")).toEqual([]);
});

test("the state of health is asked often, and has a line only when it is bad", async () => {
  const from = lines.length;
  for (const path of ["/health", "/ready"]) expect((await send(service.url, { method: "GET", path })).status).toBe(200);
  await send(service.url, { method: "GET", path: "/v1/organization", key: founder.key });
  expect(lines.slice(from).map(({ context }) => context["path"])).toEqual(["/v1/organization"]);
});

test("every answer keeps other sites away from it, and one with https keeps browsers to https", async () => {
  const { headers } = await send(service.url, { method: "GET", path: "/health" });
  expect(Object.fromEntries(headers)).toMatchObject({
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": expect.stringContaining("microphone=()"),
  });
  expect(headers.get("strict-transport-security")).toBeNull();
  const secure = await openBareService({ SVC_BASE_URL: "https://voice.acme.test" });
  const { headers: ofSecure } = await send(secure.url, { method: "GET", path: "/health" });
  expect(ofSecure.get("strict-transport-security")).toBe("max-age=31536000");
  await secure.stop();
});

test("a proxy that the service trusts says whether the browser used https, and another sender cannot say so", async () => {
  const hstsOf = async ({ url }: { url: string }, scheme: string) => {
    const headers = { "x-forwarded-proto": scheme };
    return (await send(url, { method: "GET", path: "/health", headers })).headers.get("strict-transport-security");
  };
  const trusting = await openBareService({ SVC_TRUST_PROXY: "true" });
  expect([await hstsOf(trusting, "https"), await hstsOf(trusting, "http")]).toEqual(["max-age=31536000", null]);
  await trusting.stop();
  const alone = await openBareService({ SVC_TRUST_PROXY: "false" });
  expect(await hstsOf(alone, "https")).toBeNull();
  await alone.stop();
});
