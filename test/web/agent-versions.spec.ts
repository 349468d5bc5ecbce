import { expect, test } from "vitest";
import { marksOf } from "../../packages/web/src/agent-versions.ts";
import { linesOf } from "../../packages/web/src/metrics/lines.ts";
import { measurePlots } from "../../packages/web/src/metrics/measure-plots.ts";

const at = (hour: number) => new Date(hour * 3_600_000).toISOString();
const version = (agentName: string, name: string, hour: number) => ({
  agentName,
  version: name,
  firstSeenAt: at(hour),
  lastSeenAt: at(hour),
});

test("a chart marks the versions that were first seen in its period, in order of time, and only the newest when there are many", () => {
  const known = [
    version("Hotel", "43", 9),
    version("Hotel", "42", 5),
    version("Taxi", "42", 4),
    version("Hotel", "41", 1),
  ];
  expect(marksOf(known, 2 * 3_600_000, 9 * 3_600_000)).toEqual([
    { atMs: 4 * 3_600_000, label: "42", words: "First seen: version 42 of Taxi" },
    { atMs: 5 * 3_600_000, label: "42", words: "First seen: version 42 of Hotel" },
  ]);
  const many = Array.from({ length: 30 }, (_, index) => version("Hotel", `${30 - index}`, 30 - index));
  const shown = marksOf(many, 0, 31 * 3_600_000);
  expect([shown.length, shown[0]!.label, shown.at(-1)!.label]).toEqual([12, "19", "30"]);
});

const period = { samples: 6, p50: 1, p90: null, p95: null, mean: 1, provenances: [] };
const series = (agentVersion: string | null | undefined, samples = 6, agentName = "Hotel") => ({
  agentName,
  ...(agentVersion !== undefined && { agentVersion }),
  source: "production" as const,
  measure: "response_latency" as const,
  unit: "ms" as const,
  period: { ...period, samples },
  buckets: [{ startedAt: at(0), samples, p50: 1, p90: null, p95: null, mean: 1 }],
});
const metrics = (...all: ReturnType<typeof series>[]) => ({
  from: at(0),
  to: at(3),
  bucket: "hour" as const,
  zone: "UTC",
  series: all,
});

const counts = (...all: ReturnType<typeof series>[]) => ({
  series: all.map(({ period: { samples }, ...line }) => ({ ...line, conversations: samples, errors: 0, buckets: [] })),
});

test("a plot has a line for each version of an agent, an unknown one too, those with the most conversations first", () => {
  const all = [series("41", 3), series("42", 9), series(null, 6)];
  const lines = linesOf(counts(...all));
  expect(lines.map(({ agentVersion }) => agentVersion)).toEqual(["42", null, "41"]);
  const [plot] = measurePlots({ lines, metrics: metrics(...all), before: undefined }, ["response_latency"]);
  expect(plot!.series.map(({ label }) => label)).toEqual(["42", "unknown version", "41"]);
  expect(plot!.totals.map(({ samples }) => samples)).toEqual([9, 6, 3]);
});

test("without versions, a line has the name of its agent", () => {
  const all = [series(undefined), series(undefined, 9, "Taxi")];
  const lines = linesOf(counts(...all));
  const [plot] = measurePlots({ lines, metrics: metrics(...all), before: undefined }, ["response_latency"]);
  expect(plot!.series.map(({ label }) => label)).toEqual(["Taxi", "Hotel"]);
});
