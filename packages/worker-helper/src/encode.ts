import { ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import type { Resource } from "@opentelemetry/resources";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-node";
import type { SpanLocation } from "./trace-merger.ts";

/**
 * Encodes one span as an OTLP request with our resource. Concatenated requests are one request, because protobuf appends
 * repeated fields. Each span is encoded when it ends: the event loop of a call has no long pause, and sizes are exact.
 */
export function encodeSpan(span: ReadableSpan, resource: Resource, { context, parent }: SpanLocation): Uint8Array {
  // The span itself stays unchanged, because other span processors use it too.
  const view = Object.create(span, {
    resource: { value: resource },
    spanContext: { value: () => context },
    parentSpanContext: { value: parent },
  }) as ReadableSpan;
  const bytes = ProtobufTraceSerializer.serializeRequest([view]);
  if (bytes === undefined) throw new Error("the span cannot be encoded");
  return bytes;
}

/** Returns how many spans the answer to an accepted request rejects, and why; 0 if the answer does not state it. */
export function rejectedSpans(answer: Uint8Array | undefined): { count: number; reason: string } {
  const none = { count: 0, reason: "" };
  if (answer === undefined || answer.length === 0) return none;
  try {
    const { partialSuccess } = ProtobufTraceSerializer.deserializeResponse(answer);
    return { count: Number(partialSuccess?.rejectedSpans ?? 0), reason: partialSuccess?.errorMessage ?? "" };
  } catch {
    return none;
  }
}
