import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { decideMetrics } from "../../packages/server/src/traces/metrics/metric-rules.ts";
import { openDatabase, rowsOf } from "../../packages/server/src/traces/store/duckdb/database.ts";
import { packSamples, type SampleRow } from "../../packages/server/src/traces/store/packed-samples.ts";
import {
  openSamples,
  type ReadingSamples,
  type Samples,
} from "../../packages/server/src/traces/store/duckdb/samples.ts";

const MEMORY_MB = 32;
const AT_MS = Date.UTC(2026, 10, 16, 12);

let dataDir: string;
let samples: Samples;
const open = async () => {
  samples = await openSamples({
    dataDir,
    memoryLimitMb: MEMORY_MB,
    log: () => undefined,
    onFailed: (error) => {
      throw error;
    },
  });
};
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "svc-readings-"));
  await open();
});
afterEach(async () => {
  await samples.close(true);
  rmSync(dataDir, { recursive: true });
});

const sample = (value: number): SampleRow => ({
  measure: "response_latency",
  atMs: AT_MS + value,
  value,
  provenance: "measured",
  turn: null,
});

/** Returns samples with the number `reading` of a derived conversation. They replace those with the number `former`, unless it is null. */
const readingOf = (reading: number, values: readonly number[], former: number | null = null): ReadingSamples => ({
  reading,
  former,
  project: 1,
  traceId: `${reading}`,
  source: "production",
  agent: "Ada",
  agentVersion: null,
  channel: null,
  samples: packSamples(values.map(sample)),
  toolUses: values.map((value) => ({ tool: "look_up", atMs: AT_MS + value, isError: value % 2 === 0 })),
});

/** Returns the number of samples and of tool calls, and the mean of the samples. */
async function counted() {
  const query = { from: new Date(AT_MS - 60_000).toISOString(), to: new Date(AT_MS + 3_600_000).toISOString() };
  const request = decideMetrics(1, query, AT_MS + 3_600_000);
  const points = (await samples.metrics(request))!.filter(({ startMs }) => startMs === null);
  const calls = (await samples.countToolCalls(request))!.filter(({ startMs }) => startMs === null);
  return [points[0]?.samples ?? 0, calls[0]?.calls ?? 0, points[0]?.mean ?? null];
}

describe("the samples of conversations", () => {
  test("the samples of conversations replace those that were derived before", async () => {
    await samples.store([readingOf(1, [100, 200]), readingOf(2, [300])]);
    expect(await counted()).toEqual([3, 3, 200]);
    await samples.store([readingOf(3, [400, 500], 1)]);
    expect(await counted()).toEqual([3, 3, 400]);
    expect(samples.lastReading()).toBe(3);
  });

  test("the samples of conversations replace older ones that are stored together with them", async () => {
    await samples.store([readingOf(1, [100, 200]), readingOf(2, [300], 1), readingOf(3, [900], 2)]);
    expect(await counted()).toEqual([1, 1, 900]);
  });

  test("the samples of conversations are stored once when a crash left them waiting in the index, even after a restart", async () => {
    const batch = [readingOf(1, [100]), readingOf(2, [200])];
    await samples.store(batch);
    await samples.store(batch);
    await samples.close(false);
    await open();
    expect(samples.lastReading()).toBe(2);
    await samples.store([...batch, readingOf(3, [300])]);
    expect(await counted()).toEqual([3, 3, 200]);
  });

  test("the samples of conversations are erased from the tables and the pools, and from the file when it is written again", async () => {
    await samples.store([readingOf(1, [100]), { ...readingOf(2, [200]), agent: "Bob" }]);
    await samples.pool();
    await samples.erase([2]);
    expect(await counted()).toEqual([1, 1, 100]);
    expect(await samples.rewrite()).toBe(true);
    expect(await samples.rewrite()).toBe(false);
    expect(await counted()).toEqual([1, 1, 100]);
    await samples.store([readingOf(3, [300])]);
    await samples.pool();
    expect(await counted()).toEqual([2, 2, 200]);
    await samples.close(true);
    const { read, close } = await openDatabase(dataDir, MEMORY_MB);
    expect(await rowsOf(read, "SELECT DISTINCT agent FROM pool_series")).toEqual([{ agent: "Ada" }]);
    close();
    await open();
  });

  test("the samples of conversations take no more memory than the database may use", async () => {
    const [rounds, perRound, perReading] = [24, 64, 400];
    const values = Array.from({ length: perReading }, (_, at) => at);
    for (let round = 0; round < rounds; round++) {
      const first = round * perRound + 1;
      // Each conversation replaces one of the round before.
      const readings = Array.from({ length: perRound }, (_, at) =>
        readingOf(first + at, values, round === 0 ? null : first + at - perRound),
      );
      await samples.store(readings);
    }
    await samples.pool();
    expect(await counted()).toEqual([perRound * perReading, perRound * perReading, (perReading - 1) / 2]);
  });
});
