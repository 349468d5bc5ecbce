import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@clickhouse/client";
import { afterAll, beforeAll, expect, test, type TestContext } from "vitest";
import { databasesOf } from "../support/engine.ts";
import { requestOf, spanOf, traceIdOf } from "../support/ingest.ts";
import { attribute, encodeProtobuf } from "../support/otlp.ts";
import { jsonOf, type Reply, send } from "../support/request.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { type ClickHouseServer, createClickHouseServer } from "./clickhouse-server.ts";
import { findClickHouse } from "./find-clickhouse.ts";
import { keySettings } from "../support/secret.ts";

const found = findClickHouse();
const engine = "engine" in found ? found.engine : undefined;

let clickHouse: ClickHouseServer;
let dataDir: string;
/** Two services with one store. */
let services: TestServer[];
beforeAll(async () => {
  if (engine === undefined) return;
  clickHouse = createClickHouseServer(engine);
  await clickHouse.start();
  const client = createClient({ url: clickHouse.url() });
  await client.command({ query: "CREATE DATABASE away ENGINE = Atomic" });
  await client.close();
  dataDir = mkdtempSync(join(tmpdir(), "svc-spec-"));
  const settings = { ...(await databasesOf(dataDir)), SVC_CLICKHOUSE_URL: `${clickHouse.url()}/away` };
  const first = await startServer({ dataDir, settings });
  const keys = keySettings(first);
  services = [first, await startServer({ settings: { ...settings, ...keys } })];
});
afterAll(async () => {
  if (engine === undefined) return;
  for (const service of services) await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
  await clickHouse.remove();
});

function needsEngine({ skip }: TestContext): void {
  skip(engine === undefined, "the test kills ClickHouse's engine, which is not installed here");
}

const serviceOf = (n: number) => services[n % services.length]!;
const ask = (n: number, path: string): Promise<Reply> =>
  send(serviceOf(n).url, { method: "GET", path, key: services[0]!.projectKey });
const sendSpans = (n: number, spans: Parameters<typeof requestOf>[0]): Promise<Reply> =>
  send(serviceOf(n).url, {
    method: "POST",
    path: "/v1/traces",
    key: services[0]!.projectKey,
    headers: { "content-type": "application/x-protobuf" },
    body: encodeProtobuf(requestOf(spans)),
  });
const remove = (n: number, trace: number): Promise<Reply> =>
  send(serviceOf(n).url, { method: "DELETE", path: `/v1/traces/${traceIdOf(trace)}`, key: services[0]!.projectKey });
const spansOf = (trace: number) => [1, 2, 3].map((number) => spanOf(trace, number));

test("every acknowledged span is stored once while ClickHouse is killed, and nothing else is acknowledged", async (context) => {
  needsEngine(context);
  const acknowledged = new Set<number>();
  const statuses = new Set<number>();
  const over = new AbortController();
  let next = 0;
  const senders = Array.from({ length: 4 }, async (_, sender) => {
    while (!over.signal.aborted) {
      const trace = next++;
      let reply = await sendSpans(sender, spansOf(trace));
      while (reply.status === 503 && !over.signal.aborted) {
        statuses.add(reply.status);
        expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0);
        reply = await sendSpans(sender, spansOf(trace));
      }
      statuses.add(reply.status);
      if (reply.status === 200) acknowledged.add(trace);
    }
  });
  await until("spans are stored", () => acknowledged.size > 20);
  await clickHouse.stop();
  await until("health names the engine", async () => {
    const health = await send(serviceOf(0).url, { method: "GET", path: "/health" });
    return health.status === 503 && jsonOf<{ analytics_store: string }>(health).analytics_store === "unreachable";
  });
  const { checks } = await services[0]!.admin.service.check();
  expect(checks).toContainEqual(expect.objectContaining({ name: "PostgreSQL", state: "ok", remedy: null }));
  expect(checks).toContainEqual(
    expect.objectContaining({
      name: "ClickHouse",
      state: "wrong",
      remedy: expect.stringContaining("Start ClickHouse"),
    }),
  );
  expect(checks.map(({ name }) => name)).not.toContain("disk");
  const refused = await ask(0, `/v1/traces/${traceIdOf([...acknowledged][0]!)}`);
  expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([503, true]);
  await until("bodies are refused", () => statuses.has(503));
  const before = acknowledged.size;
  await clickHouse.start();
  await until("spans are stored again", () => acknowledged.size > before + 20);
  over.abort();
  await Promise.all(senders);
  expect([...statuses].sort((one, other) => one - other)).toEqual([200, 503]);
  for (const trace of acknowledged) {
    const reply = await ask(trace, `/v1/traces/${traceIdOf(trace)}`);
    expect([trace, reply.status, jsonOf<{ spans: object[] }>(reply).spans?.length]).toEqual([trace, 200, 3]);
  }
  await until("health is good again", async () => (await ask(0, "/health")).status === 200);
});

test("spans of a conversation that another process has deleted are acknowledged and dropped", async (context) => {
  needsEngine(context);
  const named = (trace: number, number: number) =>
    spanOf(trace, number, { attributes: [attribute("lk.job_id", "deleted")] });
  const [first, second, third] = [900_001, 900_002, 900_003];
  await sendSpans(0, [named(first, 1)]);
  expect((await remove(0, first)).status).toBe(204);
  for (const [at, trace] of [first, second].entries()) {
    expect((await sendSpans(1, [named(trace, 2 + at)])).status).toBe(200);
    expect((await ask(1, `/v1/traces/${traceIdOf(trace)}`)).status).toBe(404);
  }
  await sendSpans(1, [spanOf(third, 1)]);
  expect((await ask(0, `/v1/traces/${traceIdOf(third)}`)).status).toBe(200);
  const client = createClient({ url: clickHouse.url() });
  const stored = await client.query({
    query: "SELECT toUInt32(count()) AS spans FROM away.spans WHERE conversation = 'deleted'",
    format: "JSONEachRow",
  });
  expect(await stored.json()).toEqual([{ spans: 0 }]);
  await client.close();
});
