/**
 * Compares trace ingest of the service with a plain server: `npm run bench -- ingest`. Prints spans per second and the server's CPU
 * time per span and per request. The service answers when the spans are on disk. Its time is measured until every span is loaded,
 * and also until the turns and measures of every conversation are final.
 */
import { sendBodies, spansIn } from "./send-bodies.ts";
import { startServer } from "./start-server.ts";
import { CALLS, HEAVY, type Workload } from "./workloads.ts";

const ROUNDS = 3;

type Counts = { svcBodies: number; plainBodies: number };
type Result = {
  spansPerSecond: number;
  cpuUsPerSpan: number;
  finalCpuUsPerSpan: number;
  cpuUsPerRequest: number;
  ackP99Ms: number;
  rssMb: number;
};

const WORKLOADS: (Workload & Counts)[] = [
  { ...HEAVY, svcBodies: 200, plainBodies: 40 },
  { ...CALLS, svcBodies: 8_000, plainBodies: 1_000 },
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
  const { ask, close, ...target } = await startServer(file);
  const warm = bodiesOf(Math.ceil(count / 5));
  await sendBodies(target, warm, connections);
  await ask("read");

  const bodies = bodiesOf(count);
  const before = await ask("usage");
  const startedAt = performance.now();
  const acksMs = await sendBodies(target, bodies, connections);
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
