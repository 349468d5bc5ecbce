import { defaultTextMapGetter, diag, DiagLogLevel, ROOT_CONTEXT } from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { Log } from "../../base/log/log.ts";
import { setTracing } from "../../base/own-spans.ts";

const EXPORT_TIMEOUT_MS = 10_000;
const CLOSE_TIMEOUT_MS = 3_000;

export type OwnTraces = {
  /** Sends the remaining spans. Never rejects, and takes at most 3 seconds. */
  close: () => Promise<void>;
};

/** Exports the spans of `inSpan` by OTLP to the address in the settings. Drops spans that the address does not accept. */
export function openOwnTraces(
  { url, headers, version }: { url: string; headers: Record<string, string>; version: string },
  log: Log,
): OwnTraces {
  const lost = (message: string) => log.warn({ detail: message }, "spans of the service itself could not be sent");
  diag.setLogger({ error: lost, warn: lost, info() {}, debug() {}, verbose() {} }, { logLevel: DiagLogLevel.WARN });
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ "service.name": "svc", "service.version": version }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url, headers, timeoutMillis: EXPORT_TIMEOUT_MS }))],
  });
  const propagator = new W3CTraceContextPropagator();
  setTracing({
    tracer: provider.getTracer("svc"),
    parentIn: (carrier) => propagator.extract(ROOT_CONTEXT, carrier, defaultTextMapGetter),
  });
  return {
    async close() {
      setTracing(undefined);
      const late = new Promise<void>((resolve) => void setTimeout(resolve, CLOSE_TIMEOUT_MS).unref());
      await Promise.race([provider.shutdown().catch((error: unknown) => lost(String(error))), late]);
      diag.disable();
    },
  };
}
