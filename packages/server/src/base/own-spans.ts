import { type Attributes, context, propagation, type Span, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";

/** OpenTelemetry's tracer does nothing until `operations/own-traces` registers a provider. */
const tracer = trace.getTracer("svc");

type OwnSpan = {
  kind?: SpanKind;
  /** Names and ids only: nothing that people said, and no address beyond its host. */
  attributes: Attributes;
  /** The headers of a request whose `traceparent` names the parent. Default: the span around the call. */
  headers?: Record<string, string | string[] | undefined>;
};

/** Runs work as one span of the service's own traces. An error that the work throws marks the span. */
export function inSpan<Result>(
  name: string,
  { kind = SpanKind.INTERNAL, attributes, headers }: OwnSpan,
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  const parent = headers === undefined ? context.active() : propagation.extract(context.active(), headers);
  return tracer.startActiveSpan(name, { kind, attributes }, parent, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      // The message may hold what people said; the log has it.
      const type = error instanceof Error ? error.name : typeof error;
      span.setAttribute("error.type", type).setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
