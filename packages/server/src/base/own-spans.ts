import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Attributes,
  type Context,
  INVALID_SPAN_CONTEXT,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";

type Headers = Record<string, string | string[] | undefined>;

/** Starts the spans of this process. Not OpenTelemetry's global one, in which libraries would write spans with words of people. */
export type Tracing = {
  tracer: Tracer;
  /** Returns the parent that the `traceparent` of a request names. */
  parentIn: (headers: Headers) => Context;
};

let tracing: Tracing | undefined;
const active = new AsyncLocalStorage<Context>();
const NO_SPAN = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);

/** Sets what starts the spans of this process; without it, `inSpan` only does the work. */
export const setTracing = (next: Tracing | undefined): void => void (tracing = next);

type OwnSpan = {
  kind?: SpanKind;
  /** Names and ids only: nothing that people said, and no address beyond its host. */
  attributes: Attributes;
  /** The headers of the request that the span is about. Default: the parent is the span around the call. */
  headers?: Headers;
};

/** Runs work as one span of the service's own traces. An error that the work throws marks the span. */
export async function inSpan<Result>(
  name: string,
  { kind = SpanKind.INTERNAL, attributes, headers }: OwnSpan,
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  if (tracing === undefined) return work(NO_SPAN);
  const parent = headers === undefined ? (active.getStore() ?? ROOT_CONTEXT) : tracing.parentIn(headers);
  const span = tracing.tracer.startSpan(name, { kind, attributes }, parent);
  try {
    return await active.run(trace.setSpan(parent, span), work, span);
  } catch (error) {
    // The message may hold what people said; the log has it.
    const type = error instanceof Error ? error.name : typeof error;
    span.setAttribute("error.type", type).setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}
