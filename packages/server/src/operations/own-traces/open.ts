import { context, diag, DiagLogLevel, propagation, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import type { Log } from "../../base/log/log.ts";

const EXPORT_TIMEOUT_MS = 10_000;
const CLOSE_TIMEOUT_MS = 3_000;

export type OwnTraces = {
  /** Sends the spans that are left. Never throws, and takes at most 3 seconds. */
  close: () => Promise<void>;
};

/** Sends the spans of `inSpan` by OTLP to an address that the operator chose. Spans that the address does not take are dropped. */
export function openOwnTraces(
  { url, headers, version }: { url: string; headers: Record<string, string>; version: string },
  log: Log,
): OwnTraces {
  const lost = (message: string) => log.warn({ detail: message }, "spans of the service itself could not be sent");
  diag.setLogger({ error: lost, warn: lost, info() {}, debug() {}, verbose() {} }, { logLevel: DiagLogLevel.WARN });
  const exporter = new OTLPTraceExporter({ url, headers, timeoutMillis: EXPORT_TIMEOUT_MS });
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ "service.name": "svc", "service.version": version }),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  provider.register();
  return {
    async close() {
      const late = new Promise<void>((resolve) => void setTimeout(resolve, CLOSE_TIMEOUT_MS).unref());
      await Promise.race([provider.shutdown().catch((error: unknown) => lost(String(error))), late]);
      trace.disable();
      context.disable();
      propagation.disable();
      diag.disable();
    },
  };
}
