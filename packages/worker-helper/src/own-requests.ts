import { context, createContextKey, ROOT_CONTEXT } from "@opentelemetry/api";

// The SDK's own key (`suppressTracing`): an instrumented fetch would make a span of every request, without end.
const NOT_TRACED = ROOT_CONTEXT.setValue(createContextKey("OpenTelemetry SDK Context Key SUPPRESS_TRACING"), true);

/** Does our own work so that it leaves no span. */
export const untraced = <T>(work: () => T): T => context.with(NOT_TRACED, work);

/** The body when it is small; a stranger's long page is not read. */
export async function readSome(response: Response, mostBytes: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
