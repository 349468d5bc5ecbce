import { context, createContextKey, ROOT_CONTEXT } from "@opentelemetry/api";

// The SDK's own key (`suppressTracing`). Without it, an instrumented fetch would make a span for each export, endlessly.
const NOT_TRACED = ROOT_CONTEXT.setValue(createContextKey("OpenTelemetry SDK Context Key SUPPRESS_TRACING"), true);

/** Runs work of the helper itself, for which no instrumentation makes a span. */
export const untraced = <T>(work: () => T): T => context.with(NOT_TRACED, work);

/** Returns the body; undefined if it has more than `mostBytes`. */
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
