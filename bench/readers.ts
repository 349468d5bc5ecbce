/**
 * Measures ingest and `/health` while many clients read one large conversation: `npm run bench -- readers --help`. Prints
 * the times without readers and with them, their ratio, the memory of the service, and how the reads ended.
 */
import { fork } from "node:child_process";
import { randomFillSync } from "node:crypto";
import { Agent, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { Command } from "commander";
import { random, liveKitRequest } from "../test/support/livekit-request.ts";
import { encodeProtobuf } from "../test/support/otlp.ts";
import type { ReadCounts, ReadersOptions } from "./readers-clients.ts";
import { startServer } from "./start-server.ts";

const PROBE_EVERY_MS = 20;
const SPANS_PER_PROBE = 20;
const SPANS_PER_BODY = 500;
/** Without the attributes with these names, a span has the size of a span from a usual agent. */
const LARGE_ATTRIBUTE = /chat_ctx|_metrics$|input_text|response\.text|provider_request_ids|generation_id|participant/;

const options = new Command("readers")
  .option("--readers <number>", "clients that read at the same time", Number, 200)
  .option("--spans <number>", "spans of the conversation that they read", Number, 5_000)
  .option("--seconds <number>", "length of each of the two measurements", Number, 20)
  .option("--leave <share>", "share of the reads that the client gives up after 100 ms", Number, 0.2)
  .parse()
  .opts<{ readers: number; spans: number; seconds: number; leave: number }>();

let refusedProbes = 0;

const { url, key, ask, close } = await startServer("reads-server.ts");
const agent = new Agent({ keepAlive: true });
const traceId = await sendConversation(options.spans);
await ask("drain");

const answer = await send("GET", `/v1/traces/${traceId}`);
const { rssMb: rssBefore } = await ask("usage");
console.log(`one answer has ${(answer.bytes / 1e6).toFixed(1)} MB and took ${answer.ms.toFixed(0)} ms alone`);

const quiet = await measure();
const before = await ask("usage");
const readers = fork(join(import.meta.dirname, "readers-clients.ts"), { execArgv: ["--conditions=svc-source"] });
readers.send({ url, key, traceId, readers: options.readers, leave: options.leave } satisfies ReadersOptions);
const counts = new Promise<ReadCounts>((resolve) =>
  readers.once("message", (message) => resolve(message as ReadCounts)),
);
await new Promise((resolve) => setTimeout(resolve, 2_000));
const loaded = await measure();
readers.send("stop");
const { answered, refused, left, failed, p50Ms, p99Ms } = await counts;
const after = await ask("usage");

console.log(
  `${"".padEnd(10)}${["quiet p50", "p99", "with readers p50", "p99", "p50 ratio", "p99 ratio"].map((head) => head.padStart(18)).join("")}`,
);
for (const name of ["ingest", "health", "list"] as const) {
  const [q50, q99, l50, l99] = [quiet[name], loaded[name]].flatMap((times) => [
    percentile(times, 0.5),
    percentile(times, 0.99),
  ]) as [number, number, number, number];
  const cells = [
    ...[q50, q99, l50, l99].map((ms) => `${ms.toFixed(1)} ms`),
    `${(l50 / q50).toFixed(1)}x`,
    `${(l99 / q99).toFixed(1)}x`,
  ];
  console.log(`${name.padEnd(10)}${cells.map((cell) => cell.padStart(18)).join("")}`);
}
const peak = Math.max(...loaded.rssMb);
console.log(
  `RSS ${rssBefore.toFixed(0)} MB before, at most ${peak.toFixed(0)} MB with readers (+${(peak - rssBefore).toFixed(0)} MB)`,
);
console.log(
  `CPU of the service with readers: ${((after.cpuMs - before.cpuMs) / 1000 / (options.seconds + 2)).toFixed(2)} cores`,
);
console.log(
  `reads: ${answered} answered (p50 ${p50Ms.toFixed(0)} ms, p99 ${p99Ms.toFixed(0)} ms), ${refused} refused with 503, ${left} given up by the client, ${failed} failed`,
);
console.log(`${refusedProbes} requests for ingest, health and lists were not answered with 200`);
agent.destroy();
await close();

/** Sends spans and requests `/health` and a list at fixed intervals. Returns the time of each answer. */
async function measure() {
  const times = { ingest: [] as number[], health: [] as number[], list: [] as number[], rssMb: [] as number[] };
  const until = performance.now() + options.seconds * 1000;
  const probe = async (
    into: number[],
    once: () => Promise<{ status: number; ms: number }>,
    everyMs = PROBE_EVERY_MS,
  ) => {
    while (performance.now() < until) {
      const { status, ms } = await once();
      if (status !== 200) refusedProbes++;
      into.push(ms);
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, everyMs - ms)));
    }
  };
  let seed = 1;
  await Promise.all([
    probe(times.ingest, () => send("POST", "/v1/traces", bodyOf(1_000_000 * Math.random() + seed++))),
    probe(times.health, () => send("GET", "/health")),
    probe(times.list, () => send("GET", "/v1/traces?pageSize=20"), 200),
    (async () => {
      while (performance.now() < until) {
        times.rssMb.push((await ask("usage")).rssMb);
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
    })(),
  ]);
  return times;
}

function bodyOf(seed: number): Buffer {
  return encodeProtobuf(
    liveKitRequest(seed, { spans: SPANS_PER_PROBE, conversations: 1, startMs: Date.now() - 3_600_000 }),
  );
}

/** Sends one conversation in bodies as a worker would, and returns the id of its trace. */
async function sendConversation(spans: number): Promise<string> {
  const whole = liveKitRequest(Math.floor(random(7)() * 1e9), {
    spans,
    conversations: 1,
    startMs: Date.now() - 7_200_000,
  });
  const [resource] = whole.resourceSpans!;
  const [scope] = resource!.scopeSpans!;
  const all = scope!.spans!;
  for (const span of all) span.attributes = span.attributes!.filter((each) => !LARGE_ATTRIBUTE.test(each.key));
  for (const span of all.slice(1)) span.spanId = randomFillSync(Buffer.alloc(8)).toString("hex");
  for (let first = 0; first < all.length; first += SPANS_PER_BODY) {
    const part = {
      resourceSpans: [{ ...resource, scopeSpans: [{ ...scope, spans: all.slice(first, first + SPANS_PER_BODY) }] }],
    };
    await send("POST", "/v1/traces", encodeProtobuf(part));
  }
  return all[0]!.traceId;
}

function send(method: string, path: string, body?: Buffer): Promise<{ status: number; bytes: number; ms: number }> {
  const sentAt = performance.now();
  const headers = {
    authorization: `Bearer ${key}`,
    ...(body && { "content-type": "application/x-protobuf", "content-length": body.length }),
  };
  return new Promise((resolve) => {
    const sent = request(`${url}${path}`, { method, agent, headers }, (response: IncomingMessage) => {
      let bytes = 0;
      response.on("data", (chunk: Buffer) => (bytes += chunk.length));
      response.on("end", () => resolve({ status: response.statusCode!, bytes, ms: performance.now() - sentAt }));
    });
    sent.on("error", () => resolve({ status: 0, bytes: 0, ms: performance.now() - sentAt }));
    sent.end(body);
  });
}

function percentile(times: number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? Number.NaN;
}
