import { expect, test } from "vitest";
import { openBareService } from "../support/bare-service.ts";
import { IS_SHARED, SHARES_TRACES } from "../support/engine.ts";
import { jsonOf, send } from "../support/request.ts";
import { needsProcess } from "../support/in-process.ts";

const ask = { method: "GET", path: "/health" };

test("health needs no credential, names both stores, and answers unavailable as soon as the service begins to stop", async (context) => {
  needsProcess(context);
  const service = await openBareService();
  const up = await send(service.url, ask);
  expect(up.status).toBe(200);
  expect(jsonOf(up)).toEqual({
    status: "ok",
    degraded: false,
    relational_store: "reachable",
    relational_engine: IS_SHARED ? "postgresql" : "sqlite",
    analytics_store: "reachable",
    analytics_engine: SHARES_TRACES ? "clickhouse" : "duckdb",
  });
  expect((await send(service.url, { ...ask, key: "svc_sk_wrong" })).status).toBe(200);
  expect((await send(service.url, { ...ask, path: "/health?probe=1" })).status).toBe(200);
  expect(await send(service.url, { ...ask, method: "HEAD" })).toMatchObject({ status: 200, text: "" });

  service.beginStop();
  const stopping = await send(service.url, ask);
  expect(stopping.status).toBe(503);
  expect(stopping.headers.get("retry-after")).toBe("1");
  expect(jsonOf(stopping)).toEqual({
    status: "unavailable",
    degraded: false,
    relational_store: "reachable",
    relational_engine: IS_SHARED ? "postgresql" : "sqlite",
    analytics_store: "reachable",
    analytics_engine: SHARES_TRACES ? "clickhouse" : "duckdb",
  });
  await service.stop();
});

test("a stopping service finishes open requests and then closes idle connections at once", async () => {
  const service = await openBareService();
  const asked = send(service.url, {
    method: "POST",
    path: "/api/auth/sign-up/email",
    json: { name: "x", email: "x@acme.test", password: "long enough text" },
  });
  await send(service.url, ask);
  const startedAt = performance.now();
  const stopped = service.stop();
  expect((await asked).status).toBe(201);
  await stopped;
  expect(performance.now() - startedAt).toBeLessThan(9_000);
  await expect(send(service.url, ask)).rejects.toThrow("fetch failed");
});
