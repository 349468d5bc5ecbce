import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startServer, type TestServer } from "../support/server.ts";
import { runWorker, VERSIONS } from "../support/worker.ts";
import { conversationsOf, idsOf } from "../support/worker-conversations.ts";
import { startReceiver } from "../support/worker-receiver.ts";
import { newSecret } from "../support/secret.ts";

let server: TestServer;
beforeAll(async () => void (server = await startServer()));
afterAll(() => server.stop());

const spanOf = (id: string) => id.split("/")[1]!;

describe.each(VERSIONS)("with the worker's own tracer provider on the %s version", (version) => {
  test.each([
    ["of the process", []],
    ["of the framework", ["for-framework" as const]],
  ])("the service and a provider %s get every span with the same ids", async (name, modes) => {
    const job = `AJ_${version}_${name}`;
    const env = { SVC_URL: server.url, SVC_API_KEY: server.projectKey, JOB_ID: job };
    const report = await runWorker({ version, modes: ["text", "existing", ...modes], env });
    const traces = await conversationsOf(server.client, job, report.counters.recorded);
    expect(report.counters.recorded).toBeGreaterThan(20);
    expect(idsOf(traces).map(spanOf).sort()).toEqual(report.othersSpans.map(spanOf).sort());
    expect(traces.map(({ rootName }) => rootName)).toEqual(["agent_session"]);
    expect(report.othersSpans).toEqual(
      expect.arrayContaining([`${traces[0]!.traceId}/${traces[0]!.spans[0]!.spanId}`]),
    );
    expect(report.othersKeys.filter((key) => key.startsWith("svc."))).toEqual([]);
    expect(report.othersKeys).toContain(version === "newest" ? "lk.pii.response.text" : "lk.response.text");
  });
});

test("a provider that samples nothing gets no span, and the service gets every span", async () => {
  const job = "AJ_unsampled";
  const env = { SVC_URL: server.url, SVC_API_KEY: server.projectKey, JOB_ID: job };
  const report = await runWorker({ version: "newest", modes: ["text", "existing", "unsampled"], env });
  expect(report.othersSpans).toEqual([]);
  const [trace] = await conversationsOf(server.client, job, report.counters.recorded);
  expect(trace).toMatchObject({
    rootName: "agent_session",
    complete: true,
    turnCount: 6,
    spanCount: report.counters.recorded,
  });
});

test("OTEL_* settings for another vendor do not appear in the requests and remove no span or attribute", async () => {
  const receiver = await startReceiver();
  const env = {
    SVC_URL: receiver.url,
    SVC_API_KEY: newSecret(),
    OTEL_EXPORTER_OTLP_HEADERS: "x-vendor=vendor-secret",
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x-vendor-traces=vendor-secret",
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
    OTEL_TRACES_SAMPLER: "always_off",
    OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT: "12",
    OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT: "12",
    OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT: "2",
    OTEL_RESOURCE_ATTRIBUTES: "vendor.token=vendor-secret",
  };
  const report = await runWorker({ version: "newest", modes: ["text"], env });
  await receiver.stop();
  expect(receiver.taken).toHaveLength(report.counters.recorded);
  expect(report.counters.recorded).toBeGreaterThan(20);
  const everything = JSON.stringify(receiver.received, (_key, value) =>
    typeof value === "bigint" ? String(value) : value,
  );
  expect(everything).not.toContain("vendor");
  expect(everything).toContain("You are a clinic receptionist.");
});

test("spans contain no content with LIVEKIT_TELEMETRY_ALLOW_PII=0", async () => {
  const receiver = await startReceiver();
  const env = { SVC_URL: receiver.url, SVC_API_KEY: newSecret(), LIVEKIT_TELEMETRY_ALLOW_PII: "0" };
  const report = await runWorker({ version: "newest", modes: ["text"], env });
  await receiver.stop();
  expect(receiver.taken).toHaveLength(report.counters.recorded);
  const everything = JSON.stringify(receiver.taken, (_key, value) =>
    typeof value === "bigint" ? String(value) : value,
  );
  expect(everything).not.toMatch(/receptionist|Goodbye|weather in Paris/);
});
