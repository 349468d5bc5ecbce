import { join as joinPath } from "node:path";
import type { Log } from "@svc/server";
import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RpcStatus } from "../../packages/server/src/traces/otlp/trace-proto.ts";
import { openBareService } from "../support/bare-service.ts";
import { needsStoreFile } from "../support/engine.ts";
import { encodeProtobuf, oneSpan } from "../support/otlp.ts";
import { type Person, signUp } from "../support/people.ts";
import { expectRefusal, send } from "../support/request.ts";

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

/** Renames a table of the running service while the work lasts. */
async function without(table: string, work: () => Promise<void>): Promise<void> {
  const outside = new Database(joinPath(service.dataDir, "relational.db"));
  outside.pragma("legacy_alter_table = ON");
  outside.exec(`ALTER TABLE ${table} RENAME TO ${table}_away`);
  try {
    await work();
  } finally {
    outside.exec(`ALTER TABLE ${table}_away RENAME TO ${table}`);
    outside.close();
  }
}

test("a fault answers 500 with the request's id and without its message, which is in the log under that id", async (context) => {
  needsStoreFile(context);
  const list = { method: "GET", path: "/api/tests", key: founder.key };
  await without("tests", async () => {
    const reply = await send(service.url, list);
    const { details, message } = expectRefusal(reply, "internal_error");
    expect(details).toEqual({ request_id: reply.headers.get("x-request-id") });
    expect(message).not.toMatch(/sqlite|table|select|tests/i);
    const fault = lines.find(({ context, text }) => text === "fault" && context.request_id === details!.request_id);
    expect((fault!.context.err as Error).message).toContain("no such table: tests");
  });
  expect((await send(service.url, list)).status).toBe(200);
});

test("a fault during a protobuf export answers with a google.rpc.Status in protobuf", async (context) => {
  needsStoreFile(context);
  const { projects } = await founder.client.projects.list();
  const { secret } = await founder.client.keys.create({ project_id: projects[0]!.id });
  await without("projects", async () => {
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
    expect(status.message).not.toMatch(/sqlite|table/i);
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
