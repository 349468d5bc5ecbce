import type { SpanContext } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-node";

/** The trace id and span id under which a span is sent, and those of its parent. */
export type SpanLocation = { context: SpanContext; parent: SpanContext | undefined };

const FRAMEWORK = "livekit-agents";
const MOST_TRACES = 1_000;

type TraceMerger = {
  /** Registers a span of the framework when it starts. */
  onStart(span: ReadableSpan): void;
  /** Returns the location of a span in the job's single trace. */
  locationOf(span: ReadableSpan): SpanLocation;
};

/**
 * Creates the merger that gives all spans of a job one trace. Before 1.8 the framework starts a separate trace for the
 * activity of each agent, which includes the greeting. The merger makes these spans children of the first span, as
 * later versions do.
 */
export function createTraceMerger(): TraceMerger {
  let first: SpanContext | undefined;
  const otherTraces = new Set<string>();

  return {
    onStart(span) {
      if (span.instrumentationScope.name !== FRAMEWORK) return;
      const own = span.spanContext();
      first ??= own;
      const isOtherRoot = span.parentSpanContext === undefined && own.traceId !== first.traceId;
      if (isOtherRoot && otherTraces.size < MOST_TRACES) otherTraces.add(own.traceId);
    },

    locationOf(span) {
      const own = span.spanContext();
      const parent = span.parentSpanContext;
      if (first === undefined || !otherTraces.has(own.traceId)) return { context: own, parent };
      return { context: { ...own, traceId: first.traceId }, parent: parent ?? first };
    },
  };
}
