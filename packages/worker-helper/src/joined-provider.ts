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

type GivenIds = IdGenerator & { next: SpanContext | undefined };

/** Random ids, unless the next span's are given. */
export function givenIds(): GivenIds {
  const random = new RandomIdGenerator();
  const ids: GivenIds = {
    next: undefined,
    generateTraceId: () => ids.next?.traceId ?? random.generateTraceId(),
    generateSpanId: () => ids.next?.spanId ?? random.generateSpanId(),
  };
  return ids;
}

/**
 * A provider that makes each span twice under the same ids: first with `theirs`, which decides on its own sampling,
 * limits and exporters, then with `ours`. SDK 2 providers take no further processor once they are made; this needs
 * nothing but the API, and so joins any provider, of whichever version or vendor.
 */
export function joinedProvider(theirs: TracerProvider, ours: TracerProvider, ids: GivenIds): TracerProvider {
  return {
    getTracer: (...scope) => joinedTracer(theirs.getTracer(...scope), ours.getTracer(...scope), ids),
  };
}

const joined = new WeakSet<Span>();

function joinedTracer(theirs: Tracer, ours: Tracer, ids: GivenIds): Tracer {
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

/** A tracer that does nothing answers no ids, or those of the parent. */
function ownIds(span: Span, parent: Context): SpanContext | undefined {
  const ids = span.spanContext();
  return isSpanContextValid(ids) && ids.spanId !== trace.getSpanContext(parent)?.spanId ? ids : undefined;
}

/** A parent that only they have would never reach us, and the conversation would wait for its root for ever. */
function isRoot(options: SpanOptions, parent: Context): boolean {
  const span = trace.getSpan(parent);
  return options.root === true || span === undefined || !joined.has(span);
}

/** What runs under the span, also what only they record, finds the same parent in both. */
function bothSpans(theirs: Span, ours: Span, ids: Span): Span {
  const span: Span = {
    spanContext: () => ids.spanContext(),
    isRecording: () => ours.isRecording() || theirs.isRecording(),
    setAttribute: (...given) => both((one) => one.setAttribute(...given)),
    setAttributes: (...given) => both((one) => one.setAttributes(...given)),
    addEvent: (...given) => both((one) => one.addEvent(...given)),
    addLink: (...given) => both((one) => one.addLink(...given)),
    addLinks: (...given) => both((one) => one.addLinks(...given)),
    setStatus: (...given) => both((one) => one.setStatus(...given)),
    updateName: (...given) => both((one) => one.updateName(...given)),
    recordException: (...given) => both((one) => one.recordException(...given)),
    end: (endTime) => void both((one) => one.end(endTime)),
  };
  return span;

  function both(apply: (one: Span) => void): Span {
    apply(theirs);
    apply(ours);
    return span;
  }
}
