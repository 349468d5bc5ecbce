import type { SpanContext } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-node";

export type Place = { context: SpanContext; parent: SpanContext | undefined };

const FRAMEWORK = "livekit-agents";
const MOST_TRACES = 1_000;

/**
 * One job is one conversation is one trace. Before 1.8 the framework starts the activity of each agent, with its greeting,
 * in a trace of its own; these go under the span that was first, where later versions have them.
 */
export function oneTrace() {
  let first: SpanContext | undefined;
  const others = new Set<string>();

  return {
    started(span: ReadableSpan): void {
      if (span.instrumentationScope.name !== FRAMEWORK) return;
      const own = span.spanContext();
      first ??= own;
      const isFurtherRoot = span.parentSpanContext === undefined && own.traceId !== first.traceId;
      if (isFurtherRoot && others.size < MOST_TRACES) others.add(own.traceId);
    },

    placeOf(span: ReadableSpan): Place {
      const own = span.spanContext();
      const parent = span.parentSpanContext;
      if (first === undefined || !others.has(own.traceId)) return { context: own, parent };
      return { context: { ...own, traceId: first.traceId }, parent: parent ?? first };
    },
  };
}
