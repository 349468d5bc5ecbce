import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Channel, type MeasureName, SAMPLE_PROVENANCES } from "@svc/contract/constants";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { decideMetrics } from "../../packages/server/src/traces/metrics/metric-rules.ts";
import { type Database, openDatabase, rowsOf } from "../../packages/server/src/traces/store/duckdb/database.ts";
import { createPoolSchedule } from "../../packages/server/src/traces/store/duckdb/pool-schedule.ts";
import { makePools } from "../../packages/server/src/traces/store/duckdb/pools.ts";
import { openSamples, type Samples } from "../../packages/server/src/traces/store/duckdb/samples.ts";
import { packSamples, type SampleRow } from "../../packages/server/src/traces/store/packed-samples.ts";
import { openIngest, spanOf, traceIdOf } from "../support/ingest.ts";
import { IS_LONG } from "../support/long-form.ts";
import { attribute } from "../support/otlp.ts";
import { removeTraceTables } from "../support/trace-files.ts";
import { percentile } from "../../packages/server/src/traces/measures/percentile.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const CONVERSATIONS = 6;

let dataDir = "";
let project = 0;
let readings = 0;
/** At any time, only one of these two has the database file open. */
let samples: Samples | undefined;
let database: Database | undefined;
beforeAll(() => void (dataDir = mkdtempSync(join(tmpdir(), "svc-pools-"))));
afterAll(async () => {
  await close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function close(): Promise<void> {
  await samples?.close(false);
  database?.close();
  [samples, database] = [undefined, undefined];
}

/** Opens the samples as the service does. */
async function opened(): Promise<Samples> {
  if (samples !== undefined) return samples;
  await close();
  const onFailed = (error: unknown) => {
    throw error;
  };
  return (samples = await openSamples({ dataDir, memoryLimitMb: 256, log: () => undefined, onFailed }));
}

/** Opens the database of samples directly. */
async function tables(): Promise<Database["write"]> {
  if (database === undefined) {
    await (await opened()).close(false);
    samples = undefined;
    database = await openDatabase(dataDir, 256);
  }
  return database.write;
}

type Stored = {
  agent: string | null;
  version: string | null;
  channel: Channel | null;
  source: string;
  samples: SampleRow[];
};
type Change = {
  conversation: number;
  deleted: boolean;
  samples: SampleRow[];
  pools: "all" | "settled" | "none";
  samplesPerPass?: number;
};

const agentOf = (conversation: number) => [null, "Ada", "Bob"][conversation % 3]!;
/** Returns the version of the agent, which changes each time a conversation is derived. */
const versionOf = (conversation: number, reading: number) => [null, "41", "42"][(conversation + reading) % 3]!;
/** The channel of a conversation after it was derived. */
const channelFor = (reading: number) => [null, "telephone" as const, "text" as const][reading % 3]!;
const sourceOf = (conversation: number) => (conversation % 4 === 0 ? "simulation" : "production");

/** The number that each conversation of the project got when it was last derived. */
let readingOf = new Map<number, number>();

function startProject(): void {
  project++;
  readingOf = new Map();
}

/** Stores or erases the samples of a conversation, as the thread of the store does. */
async function apply({ conversation, deleted, samples: own, pools, samplesPerPass = 200_000 }: Change): Promise<void> {
  const former = readingOf.get(conversation) ?? null;
  if (deleted) {
    if (former !== null) await (await opened()).erase([former]);
    readingOf.delete(conversation);
  } else {
    const [source, agent] = [sourceOf(conversation), agentOf(conversation)];
    const agentVersion = versionOf(conversation, ++readings);
    const channel = channelFor(readings);
    const names = { traceId: `${conversation}`, source, agent, agentVersion, channel };
    const reading = { reading: readings, former, project, ...names };
    await (await opened()).store([{ ...reading, samples: packSamples(own), toolUses: [] }]);
    readingOf.set(conversation, readings);
  }
  if (pools === "none") return;
  if (pools === "all" && samplesPerPass > 1_000) return (await opened()).pool();
  const write = await tables();
  if (pools === "settled")
    await write.run("UPDATE outdated_quarters SET changed_ms = changed_ms - 61000 WHERE quarter % 2 = 0");
  while ((await makePools(write, { all: pools === "all", samplesPerPass })).isMore);
}

/** Returns the answer in the form of `expectedPoints`. */
async function pointsOf(query: Parameters<typeof decideMetrics>[1], nowMs: number) {
  const request = decideMetrics(project, query, nowMs);
  const points = await (await opened()).metrics(request);
  return points!.map(({ startMs, provenances, ...point }) => ({
    ...point,
    bucket: startMs === null ? "whole" : localTime(startMs, query.zone ?? "UTC", query.bucket),
    provenances: startMs === null ? provenances : undefined,
  }));
}

function localTime(ms: number, zone: string, bucket: "hour" | "day" | undefined): string {
  if (bucket !== "day") return new Date(ms).toISOString().slice(0, 13);
  return new Intl.DateTimeFormat("en-CA", { timeZone: zone, dateStyle: "short" }).format(ms);
}

/** Computes the expected answer from all samples. Uses no code of the service except the function for percentiles. */
function expectedPoints(stored: Stored[], query: Parameters<typeof decideMetrics>[1], fromMs: number, toMs: number) {
  const rows = stored.flatMap(({ samples, ...series }) =>
    samples
      .filter(({ atMs }) => atMs >= fromMs && atMs < toMs)
      .filter(() => query.agentVersion === undefined || query.agentVersion.includes(series.version ?? ""))
      .filter(() => query.channel === undefined || query.channel.some((channel) => channel === series.channel))
      .map((sample) => ({ ...series, ...sample, bucket: localTime(sample.atMs, query.zone ?? "UTC", query.bucket) })),
  );
  const pools = Map.groupBy(
    [...rows, ...rows.map((row) => ({ ...row, bucket: "whole" }))],
    ({ source, agent, version, channel, measure, bucket }) =>
      JSON.stringify([source, agent, query.byVersion ? version : 0, query.byChannel ? channel : 0, measure, bucket]),
  );
  return [...pools.values()].map((pool) => {
    const { source, agent, version, channel, measure, bucket } = pool[0]!;
    const values = pool.map(({ value }) => value);
    return {
      source,
      agent,
      version: query.byVersion ? version : undefined,
      channel: query.byChannel ? channel : undefined,
      measure,
      samples: values.length,
      mean: expect.closeTo(values.reduce((sum, value) => sum + value, 0) / values.length, 5),
      p50: percentile(values, 50),
      p90: percentile(values, 90),
      p95: percentile(values, 95),
      bucket,
      provenances:
        bucket === "whole"
          ? SAMPLE_PROVENANCES.filter((name) => pool.some(({ provenance }) => provenance === name))
          : undefined,
    };
  });
}

type Keyed = {
  source: string;
  agent: string | null;
  version?: string | null | undefined;
  channel?: string | null | undefined;
  measure: string;
  bucket: string;
};
const order = (points: Keyed[]) => points.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
const keyOf = ({ source, agent, version, channel, measure, bucket }: Keyed) =>
  JSON.stringify([source, agent, version, channel, measure, bucket]);

const changes = fc.array(
  fc.record({
    conversation: fc.nat(CONVERSATIONS - 1),
    deleted: fc.nat(4).map((number) => number === 0),
    pools: fc.constantFrom("all", "settled", "none"),
    samplesPerPass: fc.constantFrom(0, 3, 200_000),
    samples: fc.array(
      fc.record({
        measure: fc.constantFrom(...(["response_latency", "tool_errors", "talk_ratio"] satisfies MeasureName[])),
        afterMs: fc.oneof(
          fc.integer({ min: -DAY_MS, max: 4 * DAY_MS }),
          fc.integer({ min: 0, max: 4 * 24 * 4 }).map((quarter) => quarter * 15 * MINUTE_MS - (quarter % 2)),
        ),
        value: fc.oneof(fc.double({ min: -5_000, max: 60_000, noNaN: true }), fc.nat(3)),
        provenance: fc.constantFrom(...SAMPLE_PROVENANCES),
        turn: fc.constant(null),
      }),
      { maxLength: 60 },
    ),
  }),
  { minLength: 1, maxLength: 8 },
);

/** Periods in which days start at odd times; Liberia was 44 minutes and 30 seconds behind UTC until 1972. */
const periods = fc.constantFrom(
  { startMs: Date.UTC(2026, 10, 16), zone: "UTC" },
  { startMs: Date.UTC(2026, 10, 16), zone: "Asia/Kathmandu" },
  { startMs: Date.UTC(2026, 10, 16), zone: "Asia/Kolkata" },
  { startMs: Date.UTC(2026, 3, 3), zone: "Australia/Lord_Howe" },
  { startMs: Date.UTC(2026, 2, 6), zone: "America/St_Johns" },
  { startMs: Date.UTC(1971, 5, 1), zone: "Africa/Monrovia" },
);

test("pools give the statistics of all samples after conversations are derived or deleted, in time zones with any offset", async () => {
  await fc.assert(
    fc.asyncProperty(
      changes,
      periods,
      fc.integer({ min: 1, max: 3 * DAY_MS }),
      async (list, { startMs, zone }, lengthMs) => {
        startProject();
        const stored = new Map<number, Stored>();
        for (const { samples, ...change } of list) {
          const timed = samples.map(({ afterMs, ...sample }) => ({ ...sample, atMs: startMs + afterMs }));
          await apply({ ...change, samples: timed } as Change);
          const { conversation } = change;
          if (change.deleted) stored.delete(conversation);
          else
            stored.set(conversation, {
              agent: agentOf(conversation),
              version: versionOf(conversation, readings),
              channel: channelFor(readings),
              source: sourceOf(conversation),
              samples: timed,
            });
        }
        const [from, to] = [startMs + DAY_MS / 2, startMs + DAY_MS / 2 + lengthMs];
        const views = [
          {},
          { byVersion: true },
          { agentVersion: ["42"] },
          { agentVersion: ["41", "42"], byVersion: true },
          { channel: ["telephone", "room"] as Channel[], byVersion: true },
          { byChannel: true },
        ];
        for (const [bucket, view] of (["hour", "day"] as const).flatMap((each) =>
          views.map((one) => [each, one] as const),
        )) {
          const query = { from: new Date(from).toISOString(), to: new Date(to).toISOString(), bucket, zone, ...view };
          const { fromMs, toMs } = decideMetrics(project, query, to);
          const expected = expectedPoints([...stored.values()], query, fromMs, toMs);
          expect(order(await pointsOf(query, to))).toEqual(order(expected));
        }
      },
    ),
    { numRuns: IS_LONG ? 30 : 5 },
  );
}, 120_000);

test("pools are made once their quarter has not changed for a minute", async () => {
  const marked = async () => (await rowsOf(await tables(), "FROM outdated_quarters")).length;
  startProject();
  while ((await makePools(await tables(), { all: true })).isMore);
  const sample = { measure: "tool_errors", value: 1, provenance: "measured", turn: null } as const;
  const samples = [0, 20 * MINUTE_MS].map((afterMs) => ({ ...sample, atMs: Date.UTC(2026, 10, 16) + afterMs }));
  await apply({ conversation: 1, deleted: false, samples, pools: "none" });
  expect(await marked()).toBe(2);
  expect(await makePools(await tables(), { all: false })).toEqual({ isMore: false, remain: true });
  expect(await marked()).toBe(2);
  await apply({ conversation: 2, deleted: false, samples: [], pools: "settled" });
  expect(await marked()).toBe(1);
});

test("a deletion leaves neither samples nor the agent's name in the pools", async () => {
  startProject();
  const sample = {
    measure: "response_latency",
    atMs: Date.UTC(2026, 10, 16),
    value: 700,
    provenance: "measured",
    turn: null,
  } as const;
  const change = { conversation: 1, samples: [sample], pools: "all" as const };
  await apply({ ...change, deleted: false });
  const left = async () => {
    const counts: number[] = [];
    for (const table of ["quarter_pools", "hour_pools", "pool_series"])
      counts.push((await rowsOf(await tables(), `FROM ${table} WHERE project = ${project}`)).length);
    return counts;
  };
  expect(await left()).toEqual([1, 1, 1]);
  await apply({ ...change, deleted: true, pools: "none" });
  expect(await left()).toEqual([0, 0, 0]);
});

test("metrics are the same after a restart and a rebuild from the journal, and without erased conversations", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-pools-journal-"));
  let ingest = await openIngest({ dataDir: folder, embedded: true });
  const startMs = Date.UTC(2026, 10, 16);
  const toolSpan = (trace: number, number: number) =>
    spanOf(trace, number, {
      name: "function_tool",
      startTimeUnixNano: `${startMs + number * 10 * MINUTE_MS}000000`,
      endTimeUnixNano: `${startMs + number * 10 * MINUTE_MS + trace * 100}000000`,
      attributes: [attribute("lk.function_tool.name", "look")],
    });
  const numbers = Array.from({ length: 24 }, (_, number) => number + 1);
  const read = async () => {
    const query = { bucket: "day" as const, zone: "Asia/Kathmandu", measure: "tool_latency" };
    return ingest.store.reader.metrics(decideMetrics(1, query, startMs + DAY_MS));
  };
  const restart = async () => {
    await ingest.close();
    ingest = await openIngest({ dataDir: folder, embedded: true });
    await ingest.intake.drain();
  };
  await ingest.take(
    1,
    numbers.flatMap((number) => [toolSpan(1, number), toolSpan(2, number)]),
  );
  await ingest.intake.drain();
  const pooled = await read();
  expect(pooled).toMatchObject([{ samples: 48, p50: 100, p95: 200, mean: 150 }, { samples: 48 }]);
  await restart();
  expect(await read()).toEqual(pooled);
  await ingest.close();
  removeTraceTables(folder);
  ingest = await openIngest({ dataDir: folder, embedded: true });
  await ingest.intake.drain();
  expect(await read()).toEqual(pooled);
  await ingest.store.eraser.erase(1, { traceIds: [traceIdOf(2)], names: [] });
  const erased = await read();
  expect(erased).toMatchObject([{ samples: 24, p50: 100, p95: 100, mean: 100 }, { samples: 24 }]);
  await ingest.intake.drain();
  expect(await read()).toEqual(erased);
  await ingest.store.eraser.dropDaysBefore(Math.floor(Date.now() / DAY_MS) + 1);
  expect(await read()).toEqual([]);
  await ingest.close();
  rmSync(folder, { recursive: true });
});

test("a round that fails is not due again at once, so that commits go on", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-pools-"));
  const empty = await openDatabase(folder, 64);
  const schedule = createPoolSchedule(empty.write);
  schedule.outdate();
  await expect(schedule.makeRound()).rejects.toThrow("outdated_quarters");
  expect(schedule.nextAt() - performance.now()).toBeGreaterThan(30_000);
  empty.close();
  rmSync(folder, { recursive: true });
});
