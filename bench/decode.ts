/** Compares the time to decode a span with that of the library protobufjs: `npm run bench -- decode`. */
import { readdirSync, readFileSync } from "node:fs";
import { isUtf8 } from "node:buffer";
import { createDecoder } from "../packages/server/src/traces/otlp/decoder.ts";
import { ExportTraceServiceRequest } from "../packages/server/src/traces/otlp/trace-proto.ts";
import { SpanBatch } from "../packages/server/src/traces/span-batch.ts";
import { liveKitRequest } from "../test/support/livekit-request.ts";
import { encodeJson, encodeProtobuf, type OtlpRequest } from "../test/support/otlp.ts";

const { decodeJson, decodeProtobuf } = createDecoder();
type Decode = typeof decodeProtobuf;

const CONTEXT = { project: 1, receivedMs: 1_795_251_159_551, lsn: 1 };
const CAPTURES = new URL("../test/fixtures/otlp-captures/", import.meta.url);

type Body = { protobuf: Buffer; json: Buffer };
type Workload = { name: string; spans: number; bodies: Body[] };

/** Returns large requests, as a busy collector sends them, and the small requests of one worker. */
function workloads(): Workload[] {
  const heavy = [1, 2, 3, 4].map((seed) => liveKitRequest(seed));
  const small = readdirSync(CAPTURES, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".decoded.json"))
    .map((path) => JSON.parse(readFileSync(new URL(path, CAPTURES), "utf8")) as OtlpRequest);
  return [workload("heavy", heavy), workload("small", small)];
}

function workload(name: string, requests: OtlpRequest[]): Workload {
  const spans = requests.flatMap((request) =>
    request.resourceSpans!.flatMap((of) => of.scopeSpans!.flatMap((scope) => scope.spans!)),
  );
  const bodies = requests.map((request) => ({ protobuf: encodeProtobuf(request), json: encodeJson(request) }));
  return { name, spans: spans.length, bodies };
}

/** Decodes with protobufjs and writes attributes as JSON, which is the least that a simple server must do. */
function decodeByReflection(body: Buffer): number {
  const decoded = ExportTraceServiceRequest.toObject(ExportTraceServiceRequest.decode(body), {
    longs: String,
    bytes: String,
  }) as OtlpRequest;
  let length = 0;
  for (const of of decoded.resourceSpans ?? []) {
    for (const scope of of.scopeSpans ?? []) {
      for (const span of scope.spans ?? []) length += JSON.stringify(span.attributes ?? []).length;
    }
  }
  return length;
}

function decodeJsonPlainly(body: Buffer): number {
  const request = JSON.parse(body.toString()) as OtlpRequest;
  let length = 0;
  for (const of of request.resourceSpans ?? []) {
    for (const scope of of.scopeSpans ?? []) {
      for (const span of scope.spans ?? []) length += JSON.stringify(span.attributes ?? []).length;
    }
  }
  return length;
}

/** Repeats `turn`, which decodes this many spans, and returns the median time per span in microseconds. */
function microsecondsPerSpan(spans: number, turn: () => void, forMs = 600): number {
  for (const until = performance.now() + forMs / 2; performance.now() < until;) turn();
  const times: number[] = [];
  for (const until = performance.now() + forMs; performance.now() < until;) {
    const start = performance.now();
    turn();
    times.push(performance.now() - start);
  }
  return (times.sort((a, b) => a - b)[times.length >> 1]! * 1000) / spans;
}

for (const { name, spans, bodies } of workloads()) {
  const batch = new SpanBatch(4096, 8 << 20);
  const empty = batch.mark();
  const decodeAll = (decode: Decode, encoding: keyof Body) => () => {
    batch.truncate(empty);
    for (const body of bodies) decode(body[encoding], batch, CONTEXT);
  };
  const bytes = bodies.reduce((sum, body) => sum + body.protobuf.length, 0);
  console.log(`${name}: ${bodies.length} bodies, ${spans} spans, ${Math.round(bytes / spans)} bytes a span`);
  const rows: [string, () => void][] = [
    ["protobufjs + toObject + stringify", () => bodies.forEach((body) => decodeByReflection(body.protobuf))],
    ["decodeProtobuf", decodeAll(decodeProtobuf, "protobuf")],
    ["JSON.parse + stringify", () => bodies.forEach((body) => decodeJsonPlainly(body.json))],
    ["decodeJson", decodeAll(decodeJson, "json")],
    ["isUtf8 of the text", () => isUtf8(batch.heap.subarray(0, batch.heapUsed))],
  ];
  const times = rows.map(([label, turn]) => [label, microsecondsPerSpan(spans, turn)] as const);
  const first = times[0]![1];
  for (const [label, us] of times) {
    console.log(`  ${label.padEnd(36)} ${us.toFixed(2).padStart(7)} us/span  ${(first / us).toFixed(1).padStart(5)}x`);
  }
}
