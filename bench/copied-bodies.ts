import { randomFillSync } from "node:crypto";
import { gzipSync } from "node:zlib";
import { liveKitRequest } from "../test/support/livekit-request.ts";
import { encodeProtobuf } from "../test/support/otlp.ts";

type Template = ReturnType<typeof templateOf>;

/** Returns a request body with the offsets of the ids that each copy replaces. */
export function templateOf(seed: number, options: { spans: number; conversations: number; startMs: number }) {
  const request = liveKitRequest(seed, options);
  const bytes = encodeProtobuf(request);
  const spans = request.resourceSpans![0]!.scopeSpans![0]!.spans!;
  const jobs = spans.map((span) => span.attributes!.find(({ key: name }) => name === "lk.job_id")!.value!.stringValue!);
  const uniqueIds = [...new Set(spans.flatMap((span) => [span.traceId!, span.spanId!]))].map((id) =>
    Buffer.from(id, "hex"),
  );
  const jobIds = [...new Set(jobs)].map((job) => Buffer.from(job));
  return {
    bytes,
    ids: uniqueIds.map((id) => ({ length: id.length, at: offsetsOf(id, bytes) })),
    jobs: jobIds.map((job) => ({ length: job.length - 3, at: offsetsOf(job, bytes).map((at) => at + 3) })),
  };
}

/** Returns the compressed body of new conversations, which are copies of the template with new ids. */
export function copyOf({ bytes, ids, jobs }: Template): Buffer {
  for (const { length, at } of ids) {
    const id = randomFillSync(Buffer.alloc(length));
    for (const offset of at) id.copy(bytes, offset);
  }
  for (const { length, at } of jobs) {
    const id = Buffer.from(randomFillSync(Buffer.alloc(length)).toString("hex").slice(0, length));
    for (const offset of at) id.copy(bytes, offset);
  }
  return gzipSync(bytes, { level: 1 });
}

function offsetsOf(id: Buffer, bytes: Buffer): number[] {
  const at: number[] = [];
  for (let next = bytes.indexOf(id); next >= 0; next = bytes.indexOf(id, next + id.length)) at.push(next);
  return at;
}
