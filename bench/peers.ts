/**
 * Compares trace ingest of the service with other programs on this machine: `npm run bench -- peers`. A program takes part if it is
 * on the PATH, or if an environment variable names it. All programs get the same bodies, one program after the other, and each is
 * measured until it is idle; the service is idle when it has derived every conversation. A program that stores spans only in memory
 * loses them when it ends; the service stores them on disk.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Body } from "./distinct-bodies.ts";
import { sendBodies, spansIn, type Target } from "./send-bodies.ts";
import { startServer } from "./start-server.ts";
import { CALLS, HEAVY, type Workload } from "./workloads.ts";

type Peer = {
  name: string;
  program: string;
  /** The environment variable that names the program. */
  variable: string;
  args: (port: number, folder: string) => string[];
  env?: (port: number, folder: string) => Record<string, string>;
};
type Running = Target & { settle: () => Promise<{ cpuMs: number; rssMb: number }>; close: () => Promise<unknown> };
type Result = { spansPerSecond: number; cpuUsPerSpan: number; ackP99Ms: number; rssMb: number };

const ROUNDS = 3;
const WORKLOADS: [Workload, number][] = [
  [HEAVY, 100],
  [CALLS, 4_000],
];
/** A program counts as idle when it used less processor time than this during one pause. */
const REST = { cpuMs: 20, pauseMs: 500 };
const START_MS = 60_000;
const CLOCK_TICKS_PER_SECOND = 100;

const PEERS: Peer[] = [
  {
    name: "Jaeger, memory",
    program: "jaeger-all-in-one",
    variable: "JAEGER_PROGRAM",
    args: (port) => [
      `--collector.otlp.http.host-port=127.0.0.1:${port}`,
      ...["collector.otlp.grpc", "collector.grpc-server", "collector.http-server", "query.http-server"].map(
        (server) => `--${server}.host-port=127.0.0.1:0`,
      ),
      "--query.grpc-server.host-port=localhost:0", // the other query server of Jaeger already uses the IP address
      "--admin.http.host-port=127.0.0.1:0",
    ],
    env: () => ({ SPAN_STORAGE_TYPE: "memory" }),
  },
  {
    name: "Jaeger, badger",
    program: "jaeger-all-in-one",
    variable: "JAEGER_PROGRAM",
    args: (port, folder) => [
      ...PEERS[0]!.args(port, folder),
      "--badger.ephemeral=false",
      "--badger.consistency=true",
      `--badger.directory-key=${join(folder, "key")}`,
      `--badger.directory-value=${join(folder, "value")}`,
    ],
    env: () => ({ SPAN_STORAGE_TYPE: "badger" }),
  },
  {
    name: "Collector, no store",
    program: "otelcol",
    variable: "COLLECTOR_PROGRAM",
    args: (port, folder) => [`--config=${collectorConfig(port, folder)}`],
  },
  {
    name: "Phoenix",
    program: "phoenix",
    variable: "PHOENIX_PROGRAM",
    args: () => ["serve"],
    env: (port, folder) => ({
      PHOENIX_PORT: String(port),
      PHOENIX_GRPC_PORT: "0",
      PHOENIX_HOST: "127.0.0.1",
      PHOENIX_WORKING_DIR: folder,
    }),
  },
];

const found = PEERS.flatMap((peer) => {
  const program = findProgram(peer);
  if (program === undefined) console.log(`not found: ${peer.name}; set ${peer.variable} to its program`);
  return program === undefined ? [] : [{ ...peer, program }];
});
if (process.platform !== "linux" && found.length > 0)
  throw new Error("Processor time of peers is known on Linux only.");

for (const [workload, count] of WORKLOADS) {
  const starts = [
    { name: "svc", start: startService },
    ...found.map((peer) => ({ name: peer.name, start: () => startPeer(peer) })),
  ];
  const results = new Map(starts.map(({ name }) => [name, [] as Result[]]));
  for (let round = 0; round < ROUNDS; round++) {
    const bodies = { warm: workload.bodies(Math.ceil(count / 5)), measured: workload.bodies(count) };
    for (const { name, start } of starts) results.get(name)!.push(await measure(await start(), workload, bodies));
  }
  console.log(`\n${workload.name}: median of ${ROUNDS} (least to greatest)`);
  row("", "spans/s", "CPU us/span", "ack p99 ms", "RSS MB");
  for (const [name, rounds] of results) print(name, rounds);
}

async function measure(
  running: Running,
  { connections }: Workload,
  { warm, measured }: { warm: Body[]; measured: Body[] },
): Promise<Result> {
  try {
    await sendBodies(running, warm, connections);
    const before = await running.settle();
    const startedAt = performance.now();
    const acksMs = await sendBodies(running, measured, connections);
    const seconds = (performance.now() - startedAt) / 1000;
    const after = await running.settle();
    const spans = spansIn(measured);
    return {
      spansPerSecond: spans / seconds,
      cpuUsPerSpan: ((after.cpuMs - before.cpuMs) * 1000) / spans,
      ackP99Ms: acksMs.sort((a, b) => a - b)[Math.floor(acksMs.length * 0.99)]!,
      rssMb: after.rssMb,
    };
  } finally {
    await running.close();
  }
}

async function startService(): Promise<Running> {
  const { ask, close, ...target } = await startServer("svc-server.ts");
  return { ...target, settle: () => ask("read"), close };
}

async function startPeer({ name, program, args, env }: Peer): Promise<Running> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "svc-peer-"));
  const child = spawn(program, args(port, folder), {
    stdio: "ignore",
    env: { ...process.env, ...env?.(port, folder) },
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const close = async () => {
    child.kill();
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}`;
  const isReady = () =>
    fetch(url).then(
      () => true,
      () => false,
    );
  for (const deadline = performance.now() + START_MS; !(await isReady()); await delay(100)) {
    if (child.exitCode === null && performance.now() < deadline) continue;
    await close();
    throw new Error(`${name} does not answer; run it by hand: ${program} ${args(port, folder).join(" ")}`);
  }
  return { url, settle: () => atRest(child), close };
}

/** Resolves with the program's usage when the program is idle. */
async function atRest(child: ChildProcess) {
  for (let last = usageOf(child.pid!); ;) {
    await delay(REST.pauseMs);
    const now = usageOf(child.pid!);
    if (now.cpuMs - last.cpuMs < REST.cpuMs) return now;
    last = now;
  }
}

function usageOf(pid: number): { cpuMs: number; rssMb: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const [user, system] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13)
    .map(Number);
  const [, rssKb] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))!;
  return { cpuMs: ((user! + system!) * 1000) / CLOCK_TICKS_PER_SECOND, rssMb: Number(rssKb) / 1000 };
}

function findProgram({ program, variable }: Peer): string | undefined {
  const named = process.env[variable];
  if (named !== undefined && named !== "") return named;
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
}

function collectorConfig(port: number, folder: string): string {
  const file = join(folder, "config.yaml");
  const config = {
    receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
    exporters: { nop: {} },
    service: {
      telemetry: { metrics: { level: "none" } },
      pipelines: { traces: { receivers: ["otlp"], exporters: ["nop"] } },
    },
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

function print(name: string, rounds: Result[]): void {
  const spread = (of: keyof Result, digits: number) => {
    const values = rounds.map((result) => result[of]).sort((a, b) => a - b);
    const [least, median, greatest] = [values[0]!, values[values.length >> 1]!, values.at(-1)!];
    return `${median.toFixed(digits)} (${least.toFixed(digits)}-${greatest.toFixed(digits)})`;
  };
  row(name, spread("spansPerSecond", 0), spread("cpuUsPerSpan", 1), spread("ackP99Ms", 1), spread("rssMb", 0));
}

function row(name: string, ...cells: string[]): void {
  console.log(`  ${name.padEnd(20)}${cells.map((cell) => cell.padStart(26)).join("")}`);
}
