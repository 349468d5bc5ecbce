import { telemetry } from "@livekit/agents";
import { AlwaysOnSampler, NodeTracerProvider, type ReadableSpan } from "@opentelemetry/sdk-trace-node";
import { resourceFromAttributes } from "@opentelemetry/resources";
import type { TracerProvider } from "@opentelemetry/api";
import { contextIsKept, existingProvider } from "./existing-provider.ts";
import { givenIds, joinedProvider } from "./joined-provider.ts";
import { refusal } from "./settings.ts";

// Written out, because the environment (OTEL_TRACES_SAMPLER, OTEL_SPAN_*_LIMIT) may silence or truncate another exporter.
const SAMPLER = new AlwaysOnSampler();
const LIMITS = {
  attributeCountLimit: 256,
  attributeValueLengthLimit: Number.POSITIVE_INFINITY,
  eventCountLimit: 512,
  linkCountLimit: 128,
  attributePerEventCountLimit: 128,
  attributePerLinkCountLimit: 128,
};

export type Watch = { onStart(span: ReadableSpan): void; onEnd(span: ReadableSpan): void };

/**
 * Gives the framework's spans to `watch`, whose functions must not throw. A tracer provider that is there already keeps
 * getting every span, as it would without us. Answers a flush of the other exporters that share our provider, such as the
 * platform's own.
 */
export function installProvider(serviceName: string, watch: Watch): () => Promise<void> {
  if (telemetry.FanoutSpanProcessor === undefined) throw refusal("@livekit/agents is too old: install 1.6 or newer.");
  const ids = givenIds();
  const fanout = new telemetry.FanoutSpanProcessor();
  fanout.add({ ...watch, forceFlush: async () => {}, shutdown: async () => {} });
  const provider = new NodeTracerProvider({
    sampler: SAMPLER,
    spanLimits: LIMITS,
    idGenerator: ids,
    resource: resourceFromAttributes({ "service.name": serviceName }),
    spanProcessors: [fanout],
  });
  const existing = existingProvider();
  const used: TracerProvider = existing === undefined ? provider : joinedProvider(existing, provider, ids);
  if (existing === undefined || !contextIsKept()) provider.register();
  telemetry.setTracerProvider(used, {
    registerSpanProcessor: (processor) => fanout.add(processor),
    ...(!contentIsDecided() && { allowPii: true }),
  });
  return () => provider.forceFlush();
}

/** Versions that withhold content by default need the grant; a choice in the framework's own variable stays. */
const contentIsDecided = () => process.env.LIVEKIT_TELEMETRY_ALLOW_PII !== undefined;
