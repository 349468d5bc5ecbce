import type { SpanContext } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-node";

/** Trace id and span id with which a span is sent, and the ids with which its parent is sent. */
export type SpanLocation = { context: SpanContext; parent: SpanContext | undefined };

const FRAMEWORK = "livekit-agents";
const MOST_TRACES = 1_000;

type TraceMerger = {
  /** Records the start of a span. Ignores spans that the framework did not create. */
  onStart(span: ReadableSpan): void;
  /** Returns the ids of a span and of its parent in the single trace of the job. */
  locationOf(span: ReadableSpan): SpanLocation;
};

/**
 * Creates a merger that moves all spans of a job into one trace. Before version 1.8, the framework starts a separate trace for the
 * activity of each agent, including the greeting. The merger makes the roots of these traces children of the first span, as later
 * versions do.
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
