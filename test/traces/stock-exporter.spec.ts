import { setTimeout as pause } from "node:timers/promises";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { expect, test } from "vitest";
import { openHome } from "../support/cli.ts";
import { IS_LONG } from "../support/long-form.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

const SENDERS = 4;
/** The window of the rate limit. The long form of this spec uses the window of the service, and the short form a shorter one. */
const WINDOW_MS = IS_LONG ? 60_000 : 8_000;
/** The timeout of docs/ingest.md in proportion to the window. It is an option of the exporter, because no spec changes the environment. */
const OUTLIVES_A_WINDOW_MS = 1.5 * WINDOW_MS;

/** Sends `exports` exports of one span with OpenTelemetry's own exporter, one after the other. */
async function send({ url, projectKey }: TestServer, exports: number): Promise<void> {
  const exporter = new OTLPTraceExporter({
    url: `${url}/v1/traces`,
    headers: { authorization: `Bearer ${projectKey}` },
    timeoutMillis: OUTLIVES_A_WINDOW_MS,
  });
  const processor = new BatchSpanProcessor(exporter, { exportTimeoutMillis: OUTLIVES_A_WINDOW_MS });
  const provider = new BasicTracerProvider({ spanProcessors: [processor] });
  const tracer = provider.getTracer("stock");
  for (let number = 0; number < exports; number++) {
    tracer.startSpan("span").end();
    await processor.forceFlush();
  }
  await provider.shutdown();
}

/** Sends empty exports until the service refuses one, so that the exporters begin at the limit, however slow the machine is. */
async function reachLimit({ url, projectKey }: TestServer): Promise<void> {
  const headers = { authorization: `Bearer ${projectKey}`, "content-type": "application/json" };
  await until("an export is refused", async () => {
    const { status } = await fetch(`${url}/v1/traces`, { method: "POST", headers, body: "{}" });
    return status === 429;
  });
}

/** Repeats the work until the rate limit admits it. */
const admitted = <T>(work: () => Promise<T>) =>
  until(
    "the limit admits a request",
    async () => {
      try {
        return { value: await work() };
      } catch (error) {
        await pause(1_000);
        throw error;
      }
    },
    90_000,
  ).then(({ value }) => value);

test.concurrent.each([
  ["a separate limit of exports", { SVC_INGEST_RATE_LIMIT_PER_MINUTE: "60" }, 3],
  ["the window of all requests", { SVC_RATE_LIMIT_PER_MINUTE: "30" }, 4],
])(
  "a stock exporter that meets %s loses no span, and admins see the refused exports with their remedy",
  { timeout: 240_000 },
  async (_, settings, exports) => {
    const server = await startServer({ settings, rateWindowMs: WINDOW_MS });
    try {
      await reachLimit(server);
      await Promise.all(Array.from({ length: SENDERS }, () => send(server, exports)));
      await server.spansLoaded();
      await server.conversationsRead();
      const { traces } = await admitted(() => server.admin.traces.list({ pageSize: 200 }));
      expect(traces).toHaveLength(SENDERS * exports);
      const { conditions } = await admitted(() => server.admin.conditions.list());
      expect(conditions).toEqual([
        expect.objectContaining({
          code: "exports_refused",
          projectId: server.project.id,
          degrades: false,
          count: expect.any(Number),
          remedy: expect.stringContaining("SVC_INGEST_RATE_LIMIT_PER_MINUTE"),
        }),
      ]);
      const home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.adminKey });
      const doctor = await home.svc(["doctor"]);
      home.remove();
      expect(doctor.stdout).toMatch(/exports refused: [^]*SVC_INGEST_RATE_LIMIT_PER_MINUTE/);
    } finally {
      await server.stop();
    }
  },
);
