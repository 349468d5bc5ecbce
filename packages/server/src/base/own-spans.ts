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

/**
 * Tracer for the service's own spans. OpenTelemetry's global tracer is not used, because libraries create spans with it and could write
 * people's words into these spans.
 */
export type Tracing = {
  tracer: Tracer;
  parentIn: (headers: Headers) => Context;
};

let tracing: Tracing | undefined;
const active = new AsyncLocalStorage<Context>();
const NO_SPAN = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);

/** Sets the tracer that `inSpan` uses. Without a tracer, `inSpan` only runs the work. */
export const setTracing = (next: Tracing | undefined): void => void (tracing = next);

type OwnSpan = {
  kind?: SpanKind;
  /** Only names and ids: nothing that people said, and no part of an address except its host. */
  attributes: Attributes;
  /** Headers of the request that the span measures. `traceparent` names the span's parent. Default: the parent is the enclosing span. */
  headers?: Headers;
};

/** Runs the work in a new span of the service's own traces. If the work throws, the span gets the status error. */
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
    // The error's message can contain what people said, so only the log has it.
    const type = error instanceof Error ? error.name : typeof error;
    span.setAttribute("error.type", type).setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}
