import { context, createContextKey, ROOT_CONTEXT } from "@opentelemetry/api";

// Same context key as `suppressTracing` of the OpenTelemetry SDK. Without it, an instrumented fetch would create a span for each
// export, and that span would cause another export.
const NOT_TRACED = ROOT_CONTEXT.setValue(createContextKey("OpenTelemetry SDK Context Key SUPPRESS_TRACING"), true);

/** Runs work of the helper itself. Instrumentations create no spans for it. */
export const untraced = <T>(work: () => T): T => context.with(NOT_TRACED, work);

/** Reads and returns the body; undefined when it has more than `mostBytes` bytes. */
export async function readAtMost(response: Response, mostBytes: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
