import { telemetry } from "@livekit/agents";
import { context, createContextKey, ProxyTracerProvider, type TracerProvider } from "@opentelemetry/api";

/** Returns the tracer provider that the worker set for the framework or for the process; undefined without one. */
export function existingProvider(): TracerProvider | undefined {
  const current = telemetry.tracer.getProvider();
  if (!(current instanceof ProxyTracerProvider)) return current;
  return current.getDelegateTracer("livekit-agents") === undefined ? undefined : current.getDelegate();
}

/**
 * Returns true if a context manager is set. Without a context manager, spans do not find their parents, and each span
 * starts a new trace.
 */
export function hasContextManager(): boolean {
  const probe = createContextKey("svc probe");
  return context.with(context.active().setValue(probe, true), () => context.active().getValue(probe) === true);
}
