import { telemetry } from "@livekit/agents";
import { context, createContextKey, ProxyTracerProvider, type TracerProvider } from "@opentelemetry/api";

/** The tracer provider that the worker has set, for the framework or for the process; undefined when there is none. */
export function existingProvider(): TracerProvider | undefined {
  const current = telemetry.tracer.getProvider();
  if (!(current instanceof ProxyTracerProvider)) return current;
  return current.getDelegateTracer("livekit-agents") === undefined ? undefined : current.getDelegate();
}

/** Whether spans will find their parents: without a context manager each would start a trace of its own. */
export function contextIsKept(): boolean {
  const probe = createContextKey("svc probe");
  return context.with(context.active().setValue(probe, true), () => context.active().getValue(probe) === true);
}
