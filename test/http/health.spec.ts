import { UNREADY_REASONS } from "@svc/contract";
import { expect, test } from "vitest";
import { readinessOf } from "../../packages/server/src/operations/health/readiness-rules.ts";
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
  const stopped = service.stop();
  expect((await asked).status).toBe(201);
  await stopped;
  await expect(send(service.url, ask)).rejects.toThrow("fetch failed");
});

const askReady = { method: "GET", path: "/ready" };

test("a process is ready until it begins to stop, and says why it is not", async (context) => {
  needsProcess(context);
  const service = await openBareService();
  const up = await send(service.url, askReady);
  expect(up.status).toBe(200);
  expect(jsonOf(up)).toEqual({ status: "ready", reason: null, message: null });
  expect(await send(service.url, { ...askReady, method: "HEAD" })).toMatchObject({ status: 200, text: "" });

  service.beginStop();
  const stopping = await send(service.url, askReady);
  expect(stopping.status).toBe(503);
  expect(stopping.headers.get("retry-after")).toBe("1");
  expect(jsonOf(stopping)).toEqual({
    status: "not_ready",
    reason: "stopping",
    message: "The process is stopping. Send requests to another process, or wait until it has started again.",
  });
  await service.stop();
});

const NONE = {
  stopping: false,
  relational_store_unreachable: false,
  analytics_store_unreachable: false,
  conversations_rebuilding: false,
};

test.each(UNREADY_REASONS)("a process is not ready because of %s, with a sentence that says so", (reason) => {
  expect(readinessOf({ ...NONE, [reason]: true })).toEqual({
    status: "not_ready",
    reason,
    message: expect.stringMatching(/^The .*\. (Send|Start|Wait).*\.$/),
  });
});

test("a stop is named before a store that does not answer", () => {
  expect(readinessOf({ ...NONE, analytics_store_unreachable: true, stopping: true }).reason).toBe("stopping");
  expect(readinessOf(NONE)).toEqual({ status: "ready", reason: null, message: null });
});
