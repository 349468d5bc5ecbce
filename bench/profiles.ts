/**
 * Compares the embedded stores with PostgreSQL and ClickHouse on this machine: `npm run bench -- profiles`. With each kind of
 * store, the service takes the same conversations over HTTP and answers the same reads. Needs `npm run engine:clickhouse` and an
 * installed PostgreSQL.
 */
import { setTimeout as delay } from "node:timers/promises";
import { type ClickHouseClient, ClickHouseLogLevel, createClient as connect } from "@clickhouse/client";
import { type Client, createClient } from "@svc/sdk";
import { Command } from "commander";
import pg from "pg";
import { createClickHouseServer } from "../test/engines/clickhouse-server.ts";
import { findClickHouse } from "../test/engines/find-clickhouse.ts";
import { openObjectStore } from "../test/support/object-store.ts";
import { findPostgres } from "../test/engines/find-postgres.ts";
import { createPostgresServer } from "../test/engines/postgres-server.ts";
import { processorSeconds, type ProcessorSeconds } from "./engine-processes.ts";
import { multiplyConversations } from "./multiply-conversations.ts";
import { startServer } from "./start-server.ts";
import { createWeek, SPANS_PER_CONVERSATION } from "./week.ts";

const program = new Command("profiles")
  .description("Compares the embedded stores with PostgreSQL and ClickHouse.")
  .argument("[conversations]", "number of conversations that are sent", Number, 40_000)
  .option("--times <number>", "multiply the conversations in PostgreSQL and ClickHouse, and read again", Number, 1)
  .parse();
const [CONVERSATIONS] = program.processedArgs as [number];
const { times: TIMES } = program.opts<{ times: number }>();
const SPANS = CONVERSATIONS * SPANS_PER_CONVERSATION;
const CALLS = 25;

const [installed, engine] = [findPostgres(), findClickHouse()];
if (!("programs" in installed) || !("engine" in engine)) {
  console.error("Install PostgreSQL, and ClickHouse's engine with `npm run engine:clickhouse`.");
  process.exit(1);
}
const nowMs = Date.now();
const postgres = await createPostgresServer(installed, { isDurable: true });
const clickHouse = createClickHouseServer(engine.engine);

const objects = await openObjectStore();

await measure("embedded", {});
await Promise.all([postgres.start(), clickHouse.start()]);
await measure(
  "PostgreSQL and ClickHouse",
  {
    SPEC_DATABASE_URL: postgres.url,
    SPEC_CLICKHOUSE_URL: clickHouse.url(),
    SPEC_S3_SETTINGS: JSON.stringify(objects.settings),
  },
  { settle: waitForMerges, grow: TIMES > 1 ? multiply : undefined },
);
await clickHouse.remove();
await postgres.remove();
objects.close();

type Engines = {
  /** Waits until the databases have finished their work on the received spans. */
  settle: () => Promise<void>;
  /** Copies the stored conversations several times. */
  grow: (() => Promise<void>) | undefined;
};

async function measure(profile: string, environment: Record<string, string>, engines?: Engines) {
  const { url, key, pid, ask, close } = await startServer("reads-server.ts", environment);
  const client = createClient({ baseUrl: url, apiKey: key, retries: 20 });
  const before = processorSeconds(pid);
  const startedAt = performance.now();
  await createWeek(nowMs).send(client, CONVERSATIONS, 16);
  const seconds = (performance.now() - startedAt) / 1000;
  const stored = processorSeconds(pid);
  await ask("drain");
  const read = processorSeconds(pid);
  const { rssMb } = await ask("usage");
  console.log(
    `\n${profile}: ${SPANS} spans in ${CONVERSATIONS} conversations, RSS of the service ${rssMb.toFixed(0)} MB`,
  );
  console.log(`spans a second until all are on disk           ${Math.round(SPANS / seconds)}`);
  console.log(`CPU µs a span until then                       ${perSpan(before, stored)}`);
  console.log(`CPU µs a span until every conversation is derived ${perSpan(before, read)}`);
  await engines?.settle();
  await timeReads(client);
  if (engines?.grow !== undefined) {
    await engines.grow();
    await engines.settle();
    console.log(`\n${profile}: ${SPANS * TIMES} spans in ${CONVERSATIONS * TIMES} conversations`);
    await timeReads(client);
  }
  await close();
}

function perSpan(from: ProcessorSeconds, to: ProcessorSeconds): string {
  const names = ["service", "clickhouse", "postgres"] as const;
  const each = names.map((name) => [name, ((to[name] - from[name]) * 1e6) / SPANS] as const);
  const all = each.reduce((sum, [, micros]) => sum + micros, 0);
  const parts = each.filter(([, micros]) => micros > 0).map(([name, micros]) => `${name} ${micros.toFixed(1)}`);
  return `${all.toFixed(1)} (${parts.join(", ")})`;
}

async function timeReads(client: Client): Promise<void> {
  const { traces } = await client.traces.list({ pageSize: 200 });
  const agent = traces[0]!.agentName!;
  console.log(`${"".padEnd(48)}p50 ms    p95 ms`);
  await time("the last 50 conversations", () => client.traces.list());
  await time("… of an agent that does not exist", () => client.traces.list({ agent: "no such agent" }));
  await time("… that contain a common word", () => client.traces.list({ search: "refund" }));
  await time("… that contain a word that none contains", () => client.traces.list({ search: "xylophone" }));
  await time("one conversation", (call) => client.traces.get({ traceId: traces[call % traces.length]!.traceId }));
  await time("7 days of response latency per agent and hour", () =>
    client.metrics.get({ measure: "response_latency" }),
  );
  await time("7 days of every measure of one agent by hour", () => client.metrics.get({ agent }));
  await time("7 days of every measure per agent by day", () => client.metrics.get({ bucket: "day" }));
}

async function time(label: string, call: (number: number) => Promise<unknown>): Promise<void> {
  const tookMs: number[] = [];
  for (let number = -3; number < CALLS; number++) {
    const calledAt = performance.now();
    await call(number + 3);
    if (number >= 0) tookMs.push(performance.now() - calledAt);
  }
  tookMs.sort((one, other) => one - other);
  const cells = [0.5, 0.95].map((share) => tookMs[Math.floor(CALLS * share)]!.toFixed(1).padStart(10));
  console.log(`${label.padEnd(44)}${cells.join("")}`);
}

/** Copies the service's stored data several times, in the only schema and the only database that the service created. */
async function multiply(): Promise<void> {
  const relational = new pg.Client({ connectionString: postgres.url });
  await relational.connect();
  await withClickHouse((columnar) => multiplyConversations(relational, columnar, TIMES));
  await relational.end();
}

/** Waits until ClickHouse has no merge to do. After millions of rows at once, its merges would take processor time from the reads. */
async function waitForMerges(): Promise<void> {
  await withClickHouse(async (columnar) => {
    const startedAt = performance.now();
    for (;;) {
      const answer = await columnar.query({
        query: "SELECT count() AS merges FROM system.merges",
        format: "JSONEachRow",
      });
      const [row] = await answer.json<{ merges: string }>();
      if (Number(row!.merges) === 0) break;
      await delay(500);
    }
    console.log(`ClickHouse merged for ${((performance.now() - startedAt) / 1000).toFixed(1)} s before the reads`);
  });
}

async function withClickHouse(use: (columnar: ClickHouseClient) => Promise<void>): Promise<void> {
  const columnar = connect({
    url: clickHouse.url(),
    request_timeout: 3_600_000,
    log: { level: ClickHouseLogLevel.ERROR },
  });
  await use(columnar);
  await columnar.close();
}
