/**
 * Measures the trace store in ClickHouse and PostgreSQL on this machine: `npm run bench:clickhouse`. Prints the CPU time of each
 * process per span, for the spans on disk and for the readings, and the times of reads. It needs `npm run engine:clickhouse`
 * and an installed PostgreSQL.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@clickhouse/client";
import { Command } from "commander";
import { openPostgres } from "../packages/server/src/stores/postgres.ts";
import { createDeletedConversations } from "../packages/server/src/traces/erasure/deleted-conversations.ts";
import { openClickHouseStore } from "../packages/server/src/traces/store/clickhouse/open.ts";
import { createClickHouseServer } from "../test/engines/clickhouse-server.ts";
import { findClickHouse } from "../test/engines/find-clickhouse.ts";
import { findPostgres } from "../test/engines/find-postgres.ts";
import { createPostgresServer } from "../test/engines/postgres-server.ts";
import { noFilters, silent } from "../test/support/ingest.ts";
import { copyOf, templateOf } from "./copied-bodies.ts";

const [CONVERSATIONS] = new Command("clickhouse")
  .description("Measures the trace store in ClickHouse and PostgreSQL.")
  .argument("[conversations]", "number of conversations", Number, 8_000)
  .parse().processedArgs as [number];
const CONVERSATIONS_PER_BODY = 10;
const SPANS_PER_BODY = 250;
const HOURS = 7 * 24;
const CONNECTIONS = 32;
const CALLS = 21;
const TICKS_PER_SECOND = 100;

const [installed, engine] = [findPostgres(), findClickHouse()];
if (!("programs" in installed) || !("engine" in engine)) {
  console.error("Install PostgreSQL, and ClickHouse's engine with `npm run engine:clickhouse`.");
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), "svc-bench-"));
const postgres = await createPostgresServer(installed);
const clickHouse = createClickHouseServer(engine.engine);
await Promise.all([postgres.start(), clickHouse.start()]);
const admin = createClient({ url: clickHouse.url() });
await admin.command({ query: "CREATE DATABASE bench ENGINE = Atomic" });
await admin.close();
const relational = await openPostgres(postgres.url);
const { reader, intake, close } = await openClickHouseStore({
  url: `${clickHouse.url()}/bench`,
  db: relational.db,
  log: silent,
  deleted: createDeletedConversations(),
  showsCredentials: false,
  dataDir: folder,
});

const nowMs = Date.now();
const bodies = CONVERSATIONS / CONVERSATIONS_PER_BODY;
const spans = bodies * SPANS_PER_BODY;
const templates = Array.from({ length: Math.min(HOURS, bodies) }, (_, hour) =>
  templateOf(hour + 1, {
    spans: SPANS_PER_BODY,
    conversations: CONVERSATIONS_PER_BODY,
    startMs: nowMs - (hour + 1) * 3_600_000,
  }),
);
const waiting = Array.from({ length: bodies }, (_, at) => copyOf(templates[at % templates.length]!));

const before = cpuSeconds();
const startedAt = performance.now();
const acknowledgedMs: number[] = [];
await Promise.all(
  Array.from({ length: CONNECTIONS }, async () => {
    for (let body = waiting.pop(); body !== undefined; body = waiting.pop()) {
      const sentAt = performance.now();
      await intake.take({ project: 1, encoding: "protobuf", compression: "gzip", chunks: [body] });
      acknowledgedMs.push(performance.now() - sentAt);
    }
  }),
);
const storedMs = performance.now() - startedAt;
const stored = cpuSeconds();
await intake.drain();
const read = cpuSeconds();
acknowledgedMs.sort((one, other) => one - other);
const per = (name: keyof typeof before, from: typeof before, to: typeof before) =>
  `${name} ${(((to[name] - from[name]) * 1e6) / spans).toFixed(1)}`;
const all = (from: typeof before, to: typeof before) =>
  (["service", "clickhouse", "postgres"] as const).map((name) => per(name, from, to)).join(", ");
console.log(`${spans} spans of ${CONVERSATIONS} conversations, ${CONNECTIONS} senders, gzip`);
console.log(`spans a second until all are on disk        ${Math.round((spans / storedMs) * 1000)}`);
console.log(`µs CPU a span until then (with readings that ran beside)  ${all(before, stored)}`);
console.log(`µs CPU a span until all is read             ${all(before, read)}`);
console.log(`ms to the answer, p50 and p99               ${at(acknowledgedMs, 0.5)}, ${at(acknowledgedMs, 0.99)}`);

const sort = { by: "startedAt" as const, descending: true };
const request = { project: 1, limit: 50, sort, after: undefined, filters: noFilters };
const { rows } = await reader.list({ ...request, limit: 1_000 });
const week = {
  project: 1,
  fromMs: Math.floor(nowMs / 3_600_000) * 3_600_000 - HOURS * 3_600_000,
  toMs: nowMs,
  bucketMs: 3_600_000,
};
const ofAll = { agents: undefined, source: undefined };
await time("the newest 50 conversations", () => reader.list(request));
await time("the slowest 50", () => reader.list({ ...request, sort: { by: "latency", descending: true } }));
await time("a search that finds nothing", () =>
  reader.list({ ...request, filters: { ...noFilters, search: "xylophone" } }),
);
await time("one conversation with its spans", (n) => reader.find(1, rows[(n * 37) % rows.length]!.traceId));
await time("response latency, 7 days by the hour", () =>
  reader.metrics({ ...week, ...ofAll, measures: ["response_latency"] }),
);
await time("every measure, 7 days by the hour", () => reader.metrics({ ...week, ...ofAll, measures: undefined }));
await time("conversations, 7 days by the hour", () => reader.countConversations({ ...week, ...ofAll }));

await close();
await relational.close();
await clickHouse.remove();
await postgres.remove();
rmSync(folder, { recursive: true });

async function time(name: string, call: (n: number) => Promise<unknown>): Promise<void> {
  await call(0);
  const took: number[] = [];
  for (let n = 1; n <= CALLS; n++) {
    const from = performance.now();
    await call(n);
    took.push(performance.now() - from);
  }
  took.sort((one, other) => one - other);
  console.log(`${name.padEnd(43)} p50 ${at(took, 0.5)} ms, p95 ${at(took, 0.95)} ms`);
}

function at(sorted: readonly number[], share: number): string {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!.toFixed(1);
}

/** Returns the CPU seconds of this process, of ClickHouse's engine and of all processes of PostgreSQL. */
function cpuSeconds(): { service: number; clickhouse: number; postgres: number } {
  const processes = readdirSync("/proc").flatMap((pid) => (/^\d+$/.test(pid) ? (statOf(pid) ?? []) : []));
  const children = new Set([process.pid]);
  for (const { pid, parent } of processes) if (children.has(parent)) children.add(pid);
  const sum = { service: 0, clickhouse: 0, postgres: 0 };
  for (const { pid, name, seconds } of processes) {
    if (!children.has(pid)) continue;
    sum[pid === process.pid ? "service" : name === "postgres" ? "postgres" : "clickhouse"] += seconds;
  }
  return sum;
}

function statOf(pid: string) {
  try {
    const [, name, rest] = /\((.*)\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))!;
    const fields = rest!.split(" ");
    const seconds = (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
    return { pid: Number(pid), name, parent: Number(fields[1]), seconds };
  } catch {
    return undefined; // it has ended
  }
}
