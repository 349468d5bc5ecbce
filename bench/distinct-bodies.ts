import { randomBytes, randomFillSync } from "node:crypto";
import { gzipSync } from "node:zlib";
import { ExportTraceServiceRequest } from "../packages/server/src/traces/otlp/trace-proto.ts";
import type { OtlpRequest } from "../test/support/otlp.ts";

/** The job of a request, which names its conversation, begins with this prefix. */
const JOB_PREFIX = "AJ_";
const JOB_BYTES = 6;
const JOB = new RegExp(`${JOB_PREFIX}[0-9a-f]{${JOB_BYTES * 2}}`, "g");

export type Body = { gzip: Buffer; spans: number };

/** Returns requests that differ in all ids and jobs, so that no server takes one for a repeated body or joins their conversations. */
export function distinctBodies(templates: Buffer[], count: number): Body[] {
  const patterns = templates.map(patternOf);
  return Array.from({ length: count }, (_, index) => {
    const { bytes, idOffsets, jobOffsets, spans } = patterns[index % patterns.length]!;
    for (const offsets of idOffsets) {
      const id = randomFillSync(Buffer.alloc(offsets.length));
      for (const at of offsets.at) id.copy(bytes, at);
    }
    for (const offsets of jobOffsets) {
      const job = randomBytes(JOB_BYTES).toString("hex");
      for (const at of offsets) bytes.write(job, at + JOB_PREFIX.length, "latin1");
    }
    return { gzip: gzipSync(bytes, { level: 1 }), spans };
  });
}

/** Returns the bytes of a request, and the offsets of its ids. */
function patternOf(template: Buffer) {
  const bytes = Buffer.from(template);
  const request = ExportTraceServiceRequest.toObject(ExportTraceServiceRequest.decode(bytes), {
    bytes: Buffer,
  }) as OtlpRequest;
  const spans = request.resourceSpans!.flatMap((of) => of.scopeSpans!.flatMap((scope) => scope.spans!));
  const ids = new Set(
    spans.flatMap((span) => [span.traceId, span.spanId].map((id) => (id as unknown as Buffer).toString("hex"))),
  );
  const jobs = new Set(bytes.toString("latin1").match(JOB));
  const jobOffsets = [...jobs].map((job) => offsetsOf(Buffer.from(job), bytes));
  const idOffsets = [...ids].map((hex) => ({ length: hex.length / 2, at: offsetsOf(Buffer.from(hex, "hex"), bytes) }));
  return { bytes, idOffsets, jobOffsets, spans: spans.length };
}

function offsetsOf(id: Buffer, bytes: Buffer): number[] {
  const at: number[] = [];
  for (let next = bytes.indexOf(id); next >= 0; next = bytes.indexOf(id, next + id.length)) at.push(next);
  return at;
}
