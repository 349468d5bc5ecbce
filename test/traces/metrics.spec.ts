import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decideMetrics, type MetricsRequest } from "../../packages/server/src/traces/metrics/metric-rules.ts";
import { type Ingest, openIngest, spanOf } from "../support/ingest.ts";
import { IS_LONG } from "../support/long-form.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const FROM_MS = Date.UTC(2026, 10, 16);
const text = (key: string, value: string) => ({ key, value: { stringValue: value } });

let ingest: Ingest;
let project = 0;
beforeAll(async () => {
  ingest = await openIngest();
});
afterAll(() => ingest.close());

type Call = { conversation: number; agent: "Ada" | "Bob" | null; atMs: number; tookMs: number };

/** Returns the span of a tool call in a separate trace of its conversation. */
const toolSpan = ({ conversation, agent, atMs, tookMs }: Call, trace: number) =>
  spanOf(trace, 1, {
    name: "function_tool",
    startTimeUnixNano: `${FROM_MS + atMs}000000`,
    endTimeUnixNano: `${FROM_MS + atMs + tookMs}000000`,
    attributes: [
      text("lk.job_id", `job ${agent} ${conversation}`),
      text("lk.function_tool.name", "look"),
      ...(agent === null ? [] : [text("gen_ai.agent.name", agent)]),
    ],
  });

const readAll = (request: Partial<MetricsRequest>) =>
  ingest.store.reader.metrics({
    project,
    fromMs: FROM_MS,
    toMs: FROM_MS + 7 * DAY_MS,
    bucketMs: HOUR_MS,
    measures: ["tool_latency"],
    agents: undefined,
    source: undefined,
    ...request,
  });

/** Returns the points of the buckets. */
const read = async (request: Partial<MetricsRequest>) =>
  (await readAll(request))!.filter(({ startMs }) => startMs !== null);
/** Returns the points of the whole period. */
const readPeriods = async (request: Partial<MetricsRequest>) =>
  (await readAll(request))!.filter(({ startMs }) => startMs === null);

/** Returns the smallest value that at least p percent of the values do not exceed. */
function nearestRank(values: number[], p: number, minSamples: number): number | null {
  if (values.length < minSamples) return null;
  return values
    .toSorted((a, b) => a - b)
    .find((value) => values.filter((other) => other <= value).length * 100 >= p * values.length)!;
}

type Pool = { startMs: number | null; agent: string | null };

const calls = fc.array(
  fc.record({
    conversation: fc.nat(3),
    agent: fc.constantFrom("Ada" as const, "Bob" as const, null),
    atMs: fc.oneof(
      fc.nat(3 * HOUR_MS),
      fc.nat(3).map((hour) => hour * HOUR_MS),
      fc.constant(-1),
    ),
    tookMs: fc.nat(1_000),
  }),
  { minLength: 1, maxLength: 150 },
);

test("buckets and the whole period pool the samples of all conversations in any order of arrival, and omit percentiles of too few samples", async () => {
  await fc.assert(
    fc.asyncProperty(calls, fc.nat(150), fc.constantFrom(HOUR_MS, DAY_MS), async (list, cut, bucketMs) => {
      project++;
      const spans = list.map(toolSpan);
      const [first, rest] = [spans.slice(0, cut), spans.slice(cut)];
      if (first.length > 0) await ingest.take(project, first);
      await ingest.intake.drain();
      if (rest.length > 0) await ingest.take(project, rest);
      await ingest.intake.drain();
      const inside = list.filter(({ atMs }) => atMs >= 0);
      const buckets = Map.groupBy(inside, ({ agent, atMs }) => `${agent} ${Math.floor(atMs / bucketMs)}`);
      const pooled = (pool: Call[], startMs: number | null) => {
        const values = pool.map(({ tookMs }) => tookMs);
        return {
          source: "production",
          agent: pool[0]!.agent,
          measure: "tool_latency",
          startMs,
          samples: values.length,
          p50: nearestRank(values, 50, 5),
          p90: nearestRank(values, 90, 10),
          p95: nearestRank(values, 95, 20),
          mean: expect.closeTo(values.reduce((sum, value) => sum + value, 0) / values.length, 6),
          provenances: ["measured"],
        };
      };
      const expected = [...buckets.values()].map((bucket) =>
        pooled(bucket, FROM_MS + Math.floor(bucket[0]!.atMs / bucketMs) * bucketMs),
      );
      const order = (a: Pool, b: Pool) =>
        (a.startMs ?? 0) - (b.startMs ?? 0) || String(a.agent).localeCompare(String(b.agent));
      expect((await read({ bucketMs })).toSorted(order)).toEqual(expected.toSorted(order));
      const periods = [...Map.groupBy(inside, ({ agent }) => agent).values()].map((pool) => pooled(pool, null));
      expect((await readPeriods({ bucketMs })).toSorted(order)).toEqual(periods.toSorted(order));
    }),
    { numRuns: IS_LONG ? 25 : 4 },
  );
});

test("the mean of the same samples is the same number in any order of arrival", async () => {
  const means: number[] = [];
  for (const order of [
    [100_000, 200_000, 300_000],
    [300_000, 200_000, 100_000],
  ]) {
    project++;
    for (const [trace, tookNs] of order.entries()) {
      const span = toolSpan({ conversation: trace, agent: "Ada", atMs: 0, tookMs: 0 }, 9_000 + trace);
      await ingest.take(project, [
        { ...span, endTimeUnixNano: String(BigInt(span.startTimeUnixNano!) + BigInt(tookNs)) },
      ]);
      await ingest.intake.drain();
    }
    means.push((await readPeriods({}))[0]!.mean);
  }
  expect(means[0]).toBe(means[1]);
});

test("a time range starts at a whole bucket, and one with too many buckets is refused", () => {
  const decide = (from?: string, bucket?: "hour" | "day") => decideMetrics(1, { from, bucket }, FROM_MS + 90_000);
  expect(decide("2026-11-15T13:59:59Z").fromMs).toBe(Date.UTC(2026, 10, 15, 13));
  expect(decide("2026-11-15T13:59:59Z", "day").fromMs).toBe(Date.UTC(2026, 10, 15));
  expect(decide().fromMs).toBe(FROM_MS - 7 * DAY_MS);
  expect(() => decide("2026-11-16T00:02:00Z")).toThrow("`from` must be before `to`");
  expect(() => decideMetrics(1, { to: "0000-01-01T00:00:00Z" }, FROM_MS)).toThrow("`from` must be before `to`");
  expect(() => decide("2025-11-16T00:00:00Z")).toThrow("bucket=day");
  expect(decide("2025-11-16T00:00:00Z", "day").bucketMs).toBe(DAY_MS);
});

describe("stored samples", () => {
  beforeAll(async () => {
    project++;
    const list = Array.from({ length: 40 }, (_, i): Call => ({
      conversation: 1,
      agent: i % 2 === 0 ? "Ada" : "Bob",
      atMs: i * 1_000,
      tookMs: i,
    }));
    await ingest.take(project, list.map(toolSpan));
    await ingest.intake.drain();
  });

  test("stored samples are filtered by agent, measure, time and source", async () => {
    expect((await read({ agents: ["Ada"] })).map(({ agent, samples, p95 }) => [agent, samples, p95])).toEqual([
      ["Ada", 20, 36],
    ]);
    expect(await read({ agents: ["ada"] })).toEqual([]);
    expect(await read({ measures: ["response_latency"] })).toEqual([]);
    expect((await read({ measures: undefined })).some(({ measure }) => measure === "tool_errors")).toBe(false);
    expect((await read({ toMs: FROM_MS + 5_000 })).map(({ samples }) => samples).sort((a, b) => a - b)).toEqual([2, 3]);
    expect(await read({ fromMs: FROM_MS + 3_600_000 })).toEqual([]);
    expect(await read({ source: "simulation" })).toEqual([]);
    expect(await read({ agents: ["' OR 1=1 --"] })).toEqual([]);
  });

  test("stored samples give a median from 5 and a 95th percentile from 20", async () => {
    const shown = async (samples: number) => {
      const [bucket] = await read({ agents: ["Ada"], toMs: FROM_MS + 2_000 * samples });
      return [bucket!.samples, bucket!.p50 !== null, bucket!.p95 !== null];
    };
    expect(await Promise.all([4, 5, 19, 20].map(shown))).toEqual([
      [4, false, false],
      [5, true, false],
      [19, true, false],
      [20, true, true],
    ]);
  });

  test("stored samples are not visible to another project", async () => {
    expect(await read({ project: project + 1_000 })).toEqual([]);
  });

  test("stored samples are replaced, not doubled, when the conversation is derived again", async () => {
    const before = await read({ measures: undefined });
    expect(await ingest.store.reader.remap(project, true)).toBe(2);
    await ingest.intake.drain();
    expect(await ingest.store.reader.remap(project, false)).toBe(0);
    expect(await read({ measures: undefined })).toEqual(before);
  });
});
