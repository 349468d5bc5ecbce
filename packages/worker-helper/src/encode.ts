import { ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import type { Resource } from "@opentelemetry/resources";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-node";
import type { SpanLocation } from "./trace-merger.ts";

/**
 * Encodes one span as an OTLP request with the given resource. Concatenated requests are again one valid request, because protobuf
 * merges repeated fields. The helper encodes each span when it ends. So the event loop has no long pause during a call, and the sizes
 * in the queue are exact.
 */
export function encodeSpan(span: ReadableSpan, resource: Resource, { context, parent }: SpanLocation): Uint8Array {
  // The code does not change the span itself, because other span processors use it too.
  const view = Object.create(span, {
    resource: { value: resource },
    spanContext: { value: () => context },
    parentSpanContext: { value: parent },
  }) as ReadableSpan;
  const bytes = ProtobufTraceSerializer.serializeRequest([view]);
  if (bytes === undefined) throw new Error("the span cannot be encoded");
  return bytes;
}

/** Returns the number of spans that the service rejected in an accepted request, and the reason; 0 when the answer has no number. */
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
