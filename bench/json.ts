/**
 * Compares the service's decoding of OTLP/JSON with JSON.parse and JSON.stringify on the same bodies: `npm run bench -- json`. Each
 * kind of decoding has its own process, because the service decodes a body in one thread when it arrives, and in another thread
 * when it derives conversations. The processes take turns.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createDecoder } from "../packages/server/src/traces/otlp/decoder.ts";
import { SpanBatch } from "../packages/server/src/traces/span-batch.ts";
import { liveKitRequest } from "../test/support/livekit-request.ts";
import type { OtlpRequest } from "../test/support/otlp.ts";

const CAPTURES = new URL("../test/fixtures/otlp-captures/", import.meta.url);
const CONTEXT = { project: 1, receivedMs: 1_795_251_159_551, lsn: 1 };
const WARM_UP_ROUNDS = 10;
const ROUNDS = 30;
const ROUND_MS = 50;

type Bodies = { name: string; bodies: Buffer[] };

const captured = (ending: string) =>
  readdirSync(CAPTURES, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(ending))
    .toSorted()
    .map((path) => readFileSync(new URL(path, CAPTURES)));

const rewritten = (bodies: Buffer[], write: (request: OtlpRequest) => string) =>
  bodies.map((body) => Buffer.from(write(JSON.parse(body.toString()) as OtlpRequest)));

/** Escapes every character outside of ASCII, as the JSON module of Python does. */
const asciiOnly = (json: string) =>
  json.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Returns recorded bodies in the forms that several clients send, and generated bodies. */
function workloads(): Bodies[] {
  const calls = captured(".decoded.json");
  const large = [1, 2, 3, 4].map((seed) => Buffer.from(JSON.stringify(liveKitRequest(seed))));
  return [
    { name: "recorded JSON of clients", bodies: captured(".otlp.json") },
    { name: "recorded calls, compact", bodies: rewritten(calls, (request) => JSON.stringify(request)) },
    { name: "recorded calls, indented", bodies: rewritten(calls, (request) => JSON.stringify(request, null, 2)) },
    { name: "generated, 512 spans", bodies: large },
    { name: "generated, ASCII only", bodies: rewritten(large, (request) => asciiOnly(JSON.stringify(request))) },
  ];
}

const spansOf = (bodies: Buffer[]) =>
  bodies
    .flatMap((body) => (JSON.parse(body.toString()) as OtlpRequest).resourceSpans ?? [])
    .flatMap((of) => of.scopeSpans ?? [])
    .reduce((sum, scope) => sum + (scope.spans?.length ?? 0), 0);

/** Does the least work of a simple server: parses the body and writes each span's attributes. */
function parseAndStringify(body: Buffer): number {
  const request = JSON.parse(body.toString()) as OtlpRequest;
  let length = 0;
  for (const of of request.resourceSpans ?? []) {
    for (const scope of of.scopeSpans ?? []) {
      for (const span of scope.spans ?? []) length += JSON.stringify(span.attributes ?? []).length;
    }
  }
  return length;
}

const { decodeJson } = createDecoder();
const batch = new SpanBatch(4096, 16 << 20);
const empty = batch.mark();

function decodeAll(bodies: Buffer[], index: boolean): void {
  const context = { ...CONTEXT, index };
  batch.truncate(empty);
  for (const body of bodies) decodeJson(body, batch, context);
}

const WAYS: Record<string, (bodies: Buffer[]) => void> = {
  "JSON.parse + JSON.stringify": (bodies) => bodies.forEach(parseAndStringify),
  "decodeJson on ingest": (bodies) => decodeAll(bodies, true),
  "decodeJson for reading": (bodies) => decodeAll(bodies, false),
};

/** Repeats a kind of decoding for some time, and returns its processor time per repetition in microseconds. */
function cpuUsPerTurn(way: (bodies: Buffer[]) => void, bodies: Buffer[]): number {
  const before = process.cpuUsage();
  let turns = 0;
  for (const until = performance.now() + ROUND_MS; performance.now() < until; turns++) way(bodies);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / turns;
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;
const quarter = (values: number[], part: number) => values.toSorted((a, b) => a - b)[Math.floor(values.length * part)]!;

async function compare(): Promise<void> {
  const ways = Object.keys(WAYS).map((label) => ({
    label,
    child: fork(import.meta.filename, [label]),
    us: [] as number[],
  }));
  for (const [number, { name, bodies }] of workloads().entries()) {
    const spans = spansOf(bodies);
    const bytes = bodies.reduce((sum, body) => sum + body.length, 0);
    for (const way of ways) way.us = [];
    for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
      for (const { child, us } of ways) {
        child.send(number);
        const [usPerTurn] = (await once(child, "message")) as [number];
        if (round >= 0) us.push(usPerTurn / spans);
      }
    }
    console.log(`${name}: ${bodies.length} bodies, ${spans} spans, ${Math.round(bytes / spans)} bytes a span`);
    for (const { label, us } of ways) {
      const ratios = us.map((own, round) => ways[0]!.us[round]! / own);
      const range = `${quarter(ratios, 0.25).toFixed(2)} to ${quarter(ratios, 0.75).toFixed(2)}`;
      console.log(
        `  ${label.padEnd(28)} ${median(us).toFixed(2).padStart(7)} us/span  ${median(ratios).toFixed(2).padStart(5)}x  (${range})`,
      );
    }
  }
  for (const { child } of ways) child.disconnect();
}

const own = process.argv[2];
if (own === undefined) await compare();
else {
  const all = workloads();
  process.on("message", (number: number) => process.send!(cpuUsPerTurn(WAYS[own]!, all[number]!.bodies)));
}
