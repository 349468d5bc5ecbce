import {
  type Context,
  context,
  isSpanContextValid,
  type Span,
  type SpanContext,
  type SpanOptions,
  trace,
  type Tracer,
  type TracerProvider,
} from "@opentelemetry/api";
import { type IdGenerator, RandomIdGenerator } from "@opentelemetry/sdk-trace-node";

type SharedIds = IdGenerator & { next: SpanContext | undefined };

/** Creates an id generator that returns the ids in `next` when they are set, and random ids otherwise. */
export function createSharedIds(): SharedIds {
  const random = new RandomIdGenerator();
  const ids: SharedIds = {
    next: undefined,
    generateTraceId: () => ids.next?.traceId ?? random.generateTraceId(),
    generateSpanId: () => ids.next?.spanId ?? random.generateSpanId(),
  };
  return ids;
}

/**
 * Creates a provider that creates each span twice with the same ids: first with the existing provider `theirs`, then with the
 * helper's provider `ours`. The sampling, limits and exporters of `theirs` do not change.
 *
 * A span processor cannot be added to `theirs` instead, because a provider of the OpenTelemetry SDK 2 accepts none after its
 * creation. This provider uses only the OpenTelemetry API, so it works with a provider of any version or vendor.
 */
export function createJoinedProvider(theirs: TracerProvider, ours: TracerProvider, ids: SharedIds): TracerProvider {
  return {
    getTracer: (...scope) => joinedTracer(theirs.getTracer(...scope), ours.getTracer(...scope), ids),
  };
}

const joined = new WeakSet<Span>();

function joinedTracer(theirs: Tracer, ours: Tracer, ids: SharedIds): Tracer {
  return { startSpan, startActiveSpan };

  function startSpan(name: string, options: SpanOptions = {}, parent: Context = context.active()): Span {
    const first = theirs.startSpan(name, options, parent);
    ids.next = ownIds(first, parent);
    try {
      const second = ours.startSpan(name, { ...options, root: isRoot(options, parent) }, parent);
      const span = bothSpans(first, second, ids.next === undefined ? second : first);
      joined.add(span);
      return span;
    } finally {
      ids.next = undefined;
    }
  }

  function startActiveSpan(name: string, ...rest: unknown[]): unknown {
    const run = rest.pop() as (span: Span) => unknown;
    const [options, parent = context.active()] = rest as [SpanOptions?, Context?];
    const span = startSpan(name, options, parent);
    return context.with(trace.setSpan(parent, span), run, undefined, span);
  }
}

/** Returns the ids of a span; undefined when a no-op tracer created it. Such a span has invalid ids, or the ids of its parent. */
function ownIds(span: Span, parent: Context): SpanContext | undefined {
  const ids = span.spanContext();
  return isSpanContextValid(ids) && ids.spanId !== trace.getSpanContext(parent)?.spanId ? ids : undefined;
}

/** Returns whether the helper exports a span as a root: the span has no parent, or a parent that the helper does not export. */
function isRoot(options: SpanOptions, parent: Context): boolean {
  const span = trace.getSpan(parent);
  return options.root === true || span === undefined || !joined.has(span);
}

/** Creates a span that applies every change to both spans. It has the ids of the span `ids`, so both providers accept it as a parent. */
function bothSpans(theirs: Span, ours: Span, ids: Span): Span {
  const span: Span = {
    spanContext: () => ids.spanContext(),
    isRecording: () => ours.isRecording() || theirs.isRecording(),
    setAttribute: (...args) => both((one) => one.setAttribute(...args)),
    setAttributes: (...args) => both((one) => one.setAttributes(...args)),
    addEvent: (...args) => both((one) => one.addEvent(...args)),
    addLink: (...args) => both((one) => one.addLink(...args)),
    addLinks: (...args) => both((one) => one.addLinks(...args)),
    setStatus: (...args) => both((one) => one.setStatus(...args)),
    updateName: (...args) => both((one) => one.updateName(...args)),
    recordException: (...args) => both((one) => one.recordException(...args)),
    end: (endTime) => void both((one) => one.end(endTime)),
  };
  return span;

  function both(apply: (one: Span) => void): Span {
    apply(theirs);
    apply(ours);
    return span;
  }
}
