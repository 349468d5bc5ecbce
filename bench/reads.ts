/**
 * Measures reads over a million spans in 40,000 conversations of one week, which the benchmark sends as workers would:
 * `npm run bench -- reads`. Prints for each read its time over HTTP and the service's CPU time, and also the service's memory.
 */
import { gzipSync } from "node:zlib";
import { createClient } from "@svc/sdk";
import { Command } from "commander";
import { liveKitRequest } from "../test/support/livekit-request.ts";
import { encodeProtobuf } from "../test/support/otlp.ts";
import { startServer } from "./start-server.ts";
import { createWeek, SPANS_PER_CONVERSATION, WEEK_HOURS } from "./week.ts";

const [CONVERSATIONS] = new Command("reads")
  .description("Measures reads over many conversations.")
  .argument("[conversations]", "number of conversations", Number, 40_000)
  .parse().processedArgs as [number];
const SPANS_PER_BODY = 250;
const CALLS = 40;
const LARGE_SPANS = 5_000;

const { url, key, ask, close } = await startServer("reads-server.ts");
const client = createClient({ baseUrl: url, apiKey: key });

const startedAt = performance.now();
const nowMs = Date.now();
await createWeek(nowMs).send(client, CONVERSATIONS);
await sendLarge();
const sentSeconds = (performance.now() - startedAt) / 1000;
const loaded = await ask("drain");
const seconds = (performance.now() - startedAt) / 1000;
console.log(`${CONVERSATIONS * SPANS_PER_CONVERSATION} spans in ${CONVERSATIONS} conversations`);
console.log(
  `sent in ${sentSeconds.toFixed(0)} s, all read after ${seconds.toFixed(0)} s and ${(loaded.cpuMs / 1000).toFixed(0)} s of CPU; RSS ${loaded.rssMb.toFixed(0)} MB`,
);

const { traces } = await client.traces.list();
const agent = traces[0]!.agentName!;
console.log(`${"".padEnd(46)}p50 ms    p95 ms    CPU ms`);
await time("the last 50 conversations", () => client.traces.list());
await time("… a page from the middle of the week", () =>
  client.traces.list({ to: new Date(nowMs - 3.5 * 86_400_000).toISOString() }),
);
await time("… of one agent", () => client.traces.list({ agent }));
await time("… of an agent that does not exist", () => client.traces.list({ agent: "no such agent" }));
await time("… with an error", () => client.traces.list({ status: "error" }));
await time("… sorted by response latency", () => client.traces.list({ sort: "-latency" }));
await time("… that contain a common word", () => client.traces.list({ search: "refund" }));
await time("… that contain a word that none contains", () => client.traces.list({ search: "xylophone" }));
await time("one conversation", (call) => client.traces.get({ traceId: traces[call % traces.length]!.traceId }));
const [largest] = (await client.traces.list({ to: new Date(nowMs - 7.5 * 86_400_000).toISOString() })).traces;
await time(`one conversation of ${LARGE_SPANS} spans`, () => client.traces.get({ traceId: largest!.traceId }));
await time("7 days of response latency per agent and hour", () => client.metrics.get({ measure: "response_latency" }));
await time("7 days of every measure of one agent by hour", () => client.metrics.get({ agent }));
await time("7 days of every measure per agent by day", () => client.metrics.get({ bucket: "day" }));
const after = await ask("usage");
console.log(`RSS afterwards ${after.rssMb.toFixed(0)} MB`);
await close();

/** Prints the median and the 95th percentile of the calls' times and their mean CPU time, after two warm-up calls. */
async function time(label: string, call: (number: number) => Promise<unknown>): Promise<void> {
  const tookMs: number[] = [];
  let cpuMs = 0;
  for (let number = 0; number < CALLS + 2; number++) {
    if (number === 2) cpuMs = (await ask("usage")).cpuMs;
    const calledAt = performance.now();
    await call(number);
    if (number >= 2) tookMs.push(performance.now() - calledAt);
  }
  cpuMs = (await ask("usage")).cpuMs - cpuMs;
  tookMs.sort((a, b) => a - b);
  const cell = (share: number) => tookMs[Math.floor(CALLS * share)]!.toFixed(1).padStart(10);
  const mean = (cpuMs / CALLS).toFixed(1).padStart(10);
  console.log(`${label.padEnd(42)}${cell(0.5)}${cell(0.95)}${mean}`);
}

/** Sends one conversation as a worker would, in many bodies. */
async function sendLarge(): Promise<void> {
  const options = { spans: LARGE_SPANS, conversations: 1, startMs: nowMs - 8 * 86_400_000 };
  const ofResource = liveKitRequest(WEEK_HOURS + 2, options).resourceSpans![0]!;
  const ofScope = ofResource.scopeSpans![0]!;
  for (let from = 0; from < LARGE_SPANS; from += SPANS_PER_BODY) {
    const spans = ofScope.spans!.slice(from, from + SPANS_PER_BODY);
    const part = { resourceSpans: [{ ...ofResource, scopeSpans: [{ ...ofScope, spans }] }] };
    const body = gzipSync(encodeProtobuf(part), { level: 1 });
    await client.traces.ingest({ body, contentType: "application/x-protobuf", gzip: true });
  }
}
