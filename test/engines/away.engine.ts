import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test, type TestContext } from "vitest";
import { openPostgres } from "../../packages/server/src/stores/postgres/postgres.ts";
import { isStoreUnavailable } from "../../packages/server/src/stores/relational.ts";
import { databasesOf } from "../support/engine.ts";
import { cookieOf } from "../support/people.ts";
import { parseMetrics, valueOf } from "../support/prometheus.ts";
import { jsonOf, type Reply, send } from "../support/request.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { aTest } from "../support/world.ts";
import { findPostgres } from "./find-postgres.ts";
import { createPostgresServer, type PostgresServer } from "./postgres-server.ts";

const found = findPostgres();
const isInstalled = "programs" in found;

const TOKEN = "the-token-of-a-service-without-its-database";
const dataDir = mkdtempSync(join(tmpdir(), "svc-spec-"));
let postgres: PostgresServer;
let service: TestServer;
beforeAll(async () => {
  if (!isInstalled) return;
  postgres = await createPostgresServer(found);
  await postgres.start();
  const databases = { ...(await databasesOf(dataDir)), SVC_DATABASE_URL: postgres.url };
  service = await startServer({ databases, settings: { SVC_METRICS_TOKEN: TOKEN } });
});
afterAll(async () => {
  if (!isInstalled) return;
  await service.stop();
  await postgres.remove();
  rmSync(dataDir, { recursive: true });
});

const ask = (method: string, path: string, json?: object): Promise<Reply> =>
  send(service.url, { method, path, key: service.projectKey, ...(json && { json }) });
const health = async () => jsonOf<object>(await send(service.url, { method: "GET", path: "/health" }));
const ready = async () => jsonOf<object>(await send(service.url, { method: "GET", path: "/ready" }));
const scrape = async () =>
  parseMetrics((await send(service.url, { method: "GET", path: "/metrics", key: TOKEN })).text);
const signIn = () =>
  send(service.url, {
    method: "POST",
    path: "/api/auth/sign-in/email",
    json: { email: "admin@acme.test", password: "correct horse battery" },
  });

function needsPrograms({ skip }: TestContext): void {
  skip(!isInstalled, "the test starts and stops a PostgreSQL, and none is installed");
}

test("a service answers 503 while PostgreSQL is unreachable, and keeps all acknowledged changes", async (context) => {
  needsPrograms(context);
  const acknowledged: string[] = [];
  const statuses = new Set<number>();
  const over = new AbortController();
  const writers = Array.from({ length: 4 }, async () => {
    while (!over.signal.aborted) {
      const reply = await ask("POST", "/api/tests", aTest());
      statuses.add(reply.status);
      if (reply.status === 201) acknowledged.push(jsonOf<{ id: string }>(reply).id);
      else expect(reply.headers.get("retry-after")).toBe("1");
    }
  });
  await until("tests are written", () => acknowledged.length > 20);
  const cookie = cookieOf(await signIn());
  await postgres.stop();
  expect(await health()).toMatchObject({
    status: "unavailable",
    relational_store: "unreachable",
    relational_engine: "postgresql",
  });
  expect((await send(service.url, { method: "GET", path: "/health" })).headers.get("retry-after")).toBe("1");
  expect(await ready()).toMatchObject({ status: "not_ready", reason: "relational_store_unreachable" });
  const metrics = await scrape();
  expect(metrics.get("svc_ready")!.samples).toEqual([{ name: "svc_ready", labels: "", value: 0 }]);
  expect(valueOf(metrics, "svc_store_reachable", '{store="relational"}')).toBe(0);
  expect(valueOf(metrics, "svc_store_reachable", '{store="analytics"}')).toBe(1);
  expect(metrics.get("svc_import_failures")!.samples).toEqual([]);
  // The next scrape counts the number that this scrape could not read.
  expect(valueOf(await scrape(), "svc_metrics_unread_total", '{metric="svc_import_failures"}')).toBeGreaterThan(0);
  expect((await ask("GET", "/api/tests")).status).toBe(503);
  expect((await send(service.url, { method: "GET", path: "/v1/projects", cookie })).status).toBe(503);
  expect((await signIn()).status).toBe(503);
  const before = acknowledged.length;
  await postgres.start();
  await until("tests are written again", () => acknowledged.length > before + 20);
  over.abort();
  await Promise.all(writers);
  expect([...statuses].sort((one, other) => one - other)).toEqual([201, 503]);
  expect(await health()).toMatchObject({ status: "ok", relational_store: "reachable" });
  expect(await ready()).toEqual({ status: "ready", reason: null, message: null });
  expect(valueOf(await scrape(), "svc_ready")).toBe(1);
  for (const testId of acknowledged) expect((await ask("GET", `/api/tests/${testId}`)).status).toBe(200);
});

test("a query without a result in time says that the store is unreachable, and its connection is not used again", async (context) => {
  needsPrograms(context);
  const { db, close } = await openPostgres(postgres.url, 200);
  const slow = await sql`SELECT pg_sleep(60)`.execute(db).catch((error: unknown) => error);
  expect(isStoreUnavailable(slow)).toBe(true);
  expect((await sql`SELECT 1 AS one`.execute(db)).rows).toEqual([{ one: 1 }]);
  await close();
});

test("texts have U+FFFD in place of characters that PostgreSQL cannot store", async (context) => {
  needsPrograms(context);
  const texts = { name: "NUL", scenario: "{\0\0", expected_behaviors: ["Says \0."] };
  expect(await service.client.tests.create(aTest(texts))).toMatchObject({
    scenario: "{\uFFFD\uFFFD",
    expected_behaviors: ["Says \uFFFD."],
  });
  const { db, close } = await openPostgres(postgres.url);
  const member = async (text: string) => {
    const { rows } = await sql<{ text: string }>`SELECT ${JSON.stringify({ text })}::jsonb ->> 'text' AS text`.execute(
      db,
    );
    return rows[0]!.text;
  };
  expect(await member("\0 and \udfff")).toBe("\uFFFD and \uFFFD");
  for (const text of ["\\u0000", "\\\\ud800", "\n", "😀"]) expect(await member(text)).toBe(text);
  await close();
});
