import { telemetry } from "@livekit/agents";
import { AlwaysOnSampler, NodeTracerProvider, type ReadableSpan } from "@opentelemetry/sdk-trace-node";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { type Tracer, type TracerProvider, context, createContextKey, ProxyTracerProvider } from "@opentelemetry/api";
import { createJoinedProvider, createSharedIds } from "./joined-provider.ts";
import { refusal } from "./settings.ts";

// Explicit values take the place of the environment variables OTEL_TRACES_SAMPLER and OTEL_SPAN_*_LIMIT, which may be set for another
// vendor.
const SAMPLER = new AlwaysOnSampler();
const LIMITS = {
  attributeCountLimit: 256,
  attributeValueLengthLimit: Number.POSITIVE_INFINITY,
  eventCountLimit: 512,
  linkCountLimit: 128,
  attributePerEventCountLimit: 128,
  attributePerLinkCountLimit: 128,
};

/** Functions that receive each span of the framework and of the helper. They must not throw. */
export type SpanListener = { onStart(span: ReadableSpan): void; onEnd(span: ReadableSpan): void };

type InstalledProvider = {
  /** Flushes the other exporters of the helper's provider, such as the platform's own exporter. */
  flushOthers(): Promise<void>;
  /** Creates the helper's own spans. Only `listener` receives them. */
  ownTracer: Tracer;
};

/**
 * Installs a tracer provider that passes the framework's spans to `listener`. An existing tracer provider still receives every span.
 * Throws when `@livekit/agents` is older than 1.6.
 */
export function installProvider(serviceName: string, listener: SpanListener): InstalledProvider {
  if (telemetry.FanoutSpanProcessor === undefined) throw refusal("@livekit/agents is too old: install 1.6 or newer.");
  const ids = createSharedIds();
  const fanout = new telemetry.FanoutSpanProcessor();
  const processor = { ...listener, forceFlush: async () => {}, shutdown: async () => {} };
  fanout.add(processor);
  const settings = {
    sampler: SAMPLER,
    spanLimits: LIMITS,
    resource: resourceFromAttributes({ "service.name": serviceName }),
  };
  const provider = new NodeTracerProvider({ ...settings, idGenerator: ids, spanProcessors: [fanout] });
  const own = new NodeTracerProvider({ ...settings, spanProcessors: [processor] });
  const existing = existingProvider();
  const used: TracerProvider = existing === undefined ? provider : createJoinedProvider(existing, provider, ids);
  if (existing === undefined || !hasContextManager()) provider.register();
  telemetry.setTracerProvider(used, {
    registerSpanProcessor: (processor) => fanout.add(processor),
    ...(!isContentDecided() && { allowPii: true }),
  });
  return { flushOthers: () => provider.forceFlush(), ownTracer: own.getTracer("svc-worker-helper") };
}

/**
 * Returns whether the framework's environment variable is set, which decides whether spans contain the conversation's text. Without the
 * variable, newer versions of the framework withhold the text.
 */
const isContentDecided = () => process.env.LIVEKIT_TELEMETRY_ALLOW_PII !== undefined;

/** Returns the tracer provider that the worker has set for the framework or for the process; undefined without one. */
function existingProvider(): TracerProvider | undefined {
  const current = telemetry.tracer.getProvider();
  if (!(current instanceof ProxyTracerProvider)) return current;
  return current.getDelegateTracer("livekit-agents") === undefined ? undefined : current.getDelegate();
}

/** Returns whether a context manager is set. Without a context manager, spans have no parents, and each span starts a new trace. */
function hasContextManager(): boolean {
  const probe = createContextKey("svc probe");
  return context.with(context.active().setValue(probe, true), () => context.active().getValue(probe) === true);
}
