/**
 * Measures the reads of the trace store alone, without HTTP, over conversations that the benchmark writes into its tables:
 * `npm run bench -- stored-reads`. Prints the CPU time of each read on one thread: the median, the fastest and the slowest.
 */
import { Command } from "commander";
import { createCountSpans } from "../packages/server/src/traces/store/folder/bodies.ts";
import { countConversations } from "../packages/server/src/traces/store/index/counts.ts";
import { listConversations } from "../packages/server/src/traces/store/index/list.ts";
import { findSummary } from "../packages/server/src/traces/store/index/reads.ts";
import type { MetricsRequest } from "../packages/server/src/traces/metrics/metric-rules.ts";
import type { TraceFilters } from "../packages/server/src/traces/rules.ts";
import { offsetsOf, startOfDay } from "../packages/server/src/traces/metrics/zone-offsets.ts";
import { openStored } from "./stored-conversations.ts";

const [CONVERSATIONS] = new Command("stored-reads")
  .description("Measures reads of the trace store over many conversations.")
  .argument("[conversations]", "number of conversations", Number, 400_000)
  .parse().processedArgs as [number];
const CALLS = 25;
const WARM_UP_CALLS = 10;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const nowMs = Date.now();
const { index, samples } = await openStored(CONVERSATIONS, nowMs);
const { db } = index;
const count = createCountSpans(db);

const noFilters = { fromNs: undefined, toNs: undefined, source: undefined, agents: undefined, status: undefined };
const list = (filters: Partial<TraceFilters> = {}, by: "startedAt" | "latency" = "startedAt") =>
  listConversations(count, db, {
    project: 1,
    limit: 50,
    sort: { by, descending: true },
    after: undefined,
    filters: { ...noFilters, search: undefined, ...filters },
  });
const metrics = (bucketMs: number, request: Partial<MetricsRequest> = {}) =>
  samples.metrics({
    project: 1,
    fromMs: Math.floor((nowMs - 7 * DAY_MS) / bucketMs) * bucketMs,
    toMs: nowMs,
    bucketMs,
    agents: undefined,
    source: undefined,
    measures: undefined,
    ...request,
  });
const offsets = offsetsOf("Asia/Kathmandu", nowMs - 8 * DAY_MS, nowMs);
const zoned = { zone: "Asia/Kathmandu", offsets, fromMs: startOfDay(offsets, nowMs - 7 * DAY_MS) };

console.log(`${"CPU ms".padEnd(46)}    median   fastest   slowest`);
const { rows } = await list();
await time("the last 50 conversations", () => list());
await time("… of one agent", () => list({ agents: ["agent-3"] }));
await time("… of an agent that does not exist", () => list({ agents: ["no such agent"] }));
await time("… sorted by response latency", () => list({}, "latency"));
await time("… that contain a common word", () => list({ search: "conversation" }));
await time("… that contain a word that none contains", () => list({ search: "xylophone" }));
await time("… that contain a short text that none contains", () => list({ search: "qx" }));
await time("the summary of one conversation", (call) => findSummary(count, db, 1, rows[call % rows.length]!.traceId));
const hourly = { measures: ["response_latency" as const] };
await time("7 days of response latency per agent and hour", () => metrics(HOUR_MS, hourly));
await time("7 days of every measure of one agent by hour", () => metrics(HOUR_MS, { agents: ["agent-3"] }));
await time("7 days of every measure per agent by day", () => metrics(DAY_MS));
await time("… by day of Kathmandu (UTC+05:45)", () => metrics(DAY_MS, zoned));
await time("7 days of conversations counted by hour", () =>
  countConversations(db, {
    project: 1,
    fromMs: nowMs - 7 * DAY_MS,
    toMs: nowMs,
    bucketMs: HOUR_MS,
    agents: undefined,
    source: undefined,
  }),
);
await samples.close(true);
await index.close();

/**
 * Prints the CPU time of the process for a call, over `CALLS` calls. `WARM_UP_CALLS` calls come before them, because the first
 * calls also compile code.
 */
async function time(label: string, call: (number: number) => Promise<unknown>): Promise<void> {
  const took: number[] = [];
  for (let number = -WARM_UP_CALLS; number < CALLS; number++) {
    const before = process.cpuUsage();
    await call(number + WARM_UP_CALLS);
    const { user, system } = process.cpuUsage(before);
    if (number >= 0) took.push((user + system) / 1000);
  }
  took.sort((a, b) => a - b);
  const cells = [took[CALLS >> 1]!, took[0]!, took.at(-1)!].map((ms) => ms.toFixed(2).padStart(10));
  console.log(`${label.padEnd(46)}${cells.join("")}`);
}
