import { ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import type { Resource } from "@opentelemetry/resources";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-node";
import type { Place } from "./one-trace.ts";

/**
 * One span as an OTLP request, under our own resource. Requests concatenated are one request (protobuf appends repeated
 * fields), so spans are encoded one by one as they end: no long pause in the event loop of a call, and sizes are exact.
 */
export function encodeSpan(span: ReadableSpan, resource: Resource, { context, parent }: Place): Uint8Array {
  // A view: to the span's other processors it stays as it was.
  const view = Object.create(span, {
    resource: { value: resource },
    spanContext: { value: () => context },
    parentSpanContext: { value: parent },
  }) as ReadableSpan;
  const bytes = ProtobufTraceSerializer.serializeRequest([view]);
  if (bytes === undefined) throw new Error("the span cannot be encoded");
  return bytes;
}

/** What the service refused of a request that it took; 0 when its answer does not say so. */
export function rejectedOf(answer: Uint8Array | undefined): { spans: number; reason: string } {
  const nothing = { spans: 0, reason: "" };
  if (answer === undefined || answer.length === 0) return nothing;
  try {
    const { partialSuccess } = ProtobufTraceSerializer.deserializeResponse(answer);
    return { spans: Number(partialSuccess?.rejectedSpans ?? 0), reason: partialSuccess?.errorMessage ?? "" };
  } catch {
    return nothing;
  }
}
