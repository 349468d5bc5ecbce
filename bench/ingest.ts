/**
 * Compares trace ingest of the service with a plain server: `npm run bench:ingest`. Prints spans per second and server CPU
 * time per span and per request. The service answers once the spans are on disk; its time counts until every span is loaded, and
 * again until every conversation is read, which is when its turns and measures are final.
 */
import { Agent, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { liveKitRequest } from "../test/support/livekit-request.ts";
import { encodeProtobuf } from "../test/support/otlp.ts";
import { type Body, distinctBodies } from "./distinct-bodies.ts";
import { bodiesOfCall, bodyFor, newCall } from "./live-calls.ts";
import { startServer } from "./start-server.ts";

const ROUNDS = 3;

type Workload = {
  name: string;
  connections: number;
  bodies: (count: number) => Body[];
  svcBodies: number;
  plainBodies: number;
};
type Result = {
  spansPerSecond: number;
  cpuUsPerSpan: number;
  finalCpuUsPerSpan: number;
  cpuUsPerRequest: number;
  ackP99Ms: number;
  rssMb: number;
};

const heavy = [1, 2, 3, 4, 5, 6, 7, 8].map((seed) => encodeProtobuf(liveKitRequest(seed)));
const call = bodiesOfCall(8);

/** Returns the bodies of calls, one call after another. */
function bodiesOfCalls(count: number): Body[] {
  let ids = newCall();
  return Array.from({ length: count }, (_, at) => {
    const body = call[at % call.length]!;
    if (at % call.length === 0) ids = newCall();
    return { gzip: bodyFor(body, ids), spans: body.spans };
  });
}

const WORKLOADS: Workload[] = [
  {
    name: "512-span bodies, gzip",
    connections: 8,
    bodies: (count) => distinctBodies(heavy, count),
    svcBodies: 200,
    plainBodies: 40,
  },
  {
    name: "calls of a real worker, gzip",
    connections: 32,
    bodies: bodiesOfCalls,
    svcBodies: 8_000,
    plainBodies: 1_000,
  },
];

for (const workload of WORKLOADS) {
  console.log(`\n${workload.name}`);
  const svcResults: Result[] = [];
  const plainResults: Result[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    plainResults.push(await measure("plain-server.ts", workload, workload.plainBodies));
    svcResults.push(await measure("svc-server.ts", workload, workload.svcBodies));
  }
  const [svc, plain] = [median(svcResults), median(plainResults)];
  row("", "spans/s", "CPU us/span", "… to final", "us/request", "ack p99 ms", "RSS MB");
  print("svc", svc);
  print("plain", plain);
  const times = (ratio: number) => `${ratio.toFixed(1)}x`;
  row(
    "ratio",
    times(svc.spansPerSecond / plain.spansPerSecond),
    times(plain.cpuUsPerSpan / svc.cpuUsPerSpan),
    "",
    "",
    "",
    "",
  );
}

async function measure(file: string, { bodies: bodiesOf, connections }: Workload, count: number): Promise<Result> {
  const { url, key, ask, close } = await startServer(file);
  const warm = bodiesOf(Math.ceil(count / 5));
  await sendAll(url, key, warm, connections);
  await ask("read");

  const bodies = bodiesOf(count);
  const before = await ask("usage");
  const startedAt = performance.now();
  const acksMs = await sendAll(url, key, bodies, connections);
  const after = await ask("drain");
  const seconds = (performance.now() - startedAt) / 1000;
  const final = await ask("read");
  await close();
  return {
    spansPerSecond: spansIn(bodies) / seconds,
    cpuUsPerSpan: ((after.cpuMs - before.cpuMs) * 1000) / spansIn(bodies),
    finalCpuUsPerSpan: ((final.cpuMs - before.cpuMs) * 1000) / spansIn(bodies),
    cpuUsPerRequest: ((after.cpuMs - before.cpuMs) * 1000) / bodies.length,
    ackP99Ms: acksMs.sort((a, b) => a - b)[Math.floor(acksMs.length * 0.99)]!,
    rssMb: after.rssMb,
  };
}

/** Sends all bodies; each connection sends its next body after the answer to the last. Returns the time of each answer. */
async function sendAll(url: string, key: string, bodies: Body[], connections: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const acksMs: number[] = [];
  const queue = bodies.values();
  const connection = async () => {
    for (const body of queue) {
      const sentAt = performance.now();
      await send(agent, url, key, body);
      acksMs.push(performance.now() - sentAt);
    }
  };
  await Promise.all(Array.from({ length: connections }, connection));
  agent.destroy();
  return acksMs;
}

/** Sends a body, again after each 503 as an exporter does. */
async function send(agent: Agent, url: string, key: string, body: Body): Promise<void> {
  for (;;) {
    const { status, retryAfter } = await post(agent, url, key, body);
    if (status === 200) return;
    if (status !== 503) throw new Error(`HTTP ${status}`);
    await delay(retryAfter * 1000);
  }
}

function post(agent: Agent, url: string, key: string, { gzip }: Body): Promise<{ status: number; retryAfter: number }> {
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/x-protobuf",
    "content-encoding": "gzip",
    "content-length": gzip.length,
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/v1/traces`, { method: "POST", agent, headers }, (response) => {
      response.resume();
      const retryAfter = Number(response.headers["retry-after"] ?? 1);
      response.on("end", () => resolve({ status: response.statusCode!, retryAfter }));
    });
    sent.on("error", reject);
    sent.end(gzip);
  });
}

function spansIn(bodies: Body[]): number {
  return bodies.reduce((sum, { spans }) => sum + spans, 0);
}

function median(results: Result[]): Result {
  return results.sort((a, b) => a.spansPerSecond - b.spansPerSecond)[results.length >> 1]!;
}

function print(name: string, result: Result): void {
  const { spansPerSecond, cpuUsPerSpan, finalCpuUsPerSpan, cpuUsPerRequest, ackP99Ms, rssMb } = result;
  row(
    name,
    Math.round(spansPerSecond).toLocaleString("en"),
    cpuUsPerSpan.toFixed(1),
    finalCpuUsPerSpan.toFixed(1),
    cpuUsPerRequest.toFixed(0),
    ackP99Ms.toFixed(1),
    rssMb.toFixed(0),
  );
}

function row(name: string, ...cells: string[]): void {
  console.log(`  ${name.padEnd(8)}${cells.map((cell) => cell.padStart(14)).join("")}`);
}
