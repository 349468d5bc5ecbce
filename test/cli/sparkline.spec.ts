import fc from "fast-check";
import type { Metrics, TraceSummary } from "@svc/contract";
import { expect, test } from "vitest";
import { downsample, metricRows, sparkline } from "../../packages/cli/src/traces/metric-rows.ts";
import { summaryLine } from "../../packages/cli/src/traces/summary-line.ts";

test("a chart has a bar for each value, the lowest bar for the smallest, and a gap for an unknown value", () => {
  expect(sparkline([1, 2, 3, 4, 5, 6, 7, 8])).toBe("▁▂▃▄▅▆▇█");
  expect(sparkline([null, 7, null, 7])).toBe(" ▅ ▅");
  expect(sparkline([-4, null, 4])).toBe("▁ █");
  expect(sparkline([null, null])).toBe("  ");
  expect(sparkline([])).toBe("");
});

test("values in fewer columns stay within their range, and a range without values stays empty", () => {
  const values = fc.array(fc.option(fc.double({ min: -1e6, max: 1e6, noNaN: true })), { maxLength: 300 });
  fc.assert(
    fc.property(values, fc.integer({ min: 1, max: 60 }), (list, columns) => {
      const narrow = downsample(list, columns);
      expect(narrow).toHaveLength(Math.min(list.length, columns));
      const numbers = list.filter((value) => value !== null);
      for (const value of narrow.filter((mean) => mean !== null)) {
        expect(value).toBeGreaterThanOrEqual(Math.min(...numbers) - 1e-6);
        expect(value).toBeLessThanOrEqual(Math.max(...numbers) + 1e-6);
      }
      expect(narrow.some((value) => value !== null)).toBe(numbers.length > 0);
    }),
  );
});

test("the lines of metrics fit into a terminal of 80 columns, and their chart ends with the newest bucket", () => {
  const bucket = (hour: number, mean: number) => ({
    startedAt: new Date(hour * 3_600_000).toISOString(),
    samples: 25,
    p50: 640,
    p90: 1100,
    p95: 1280,
    mean,
  });
  const series = { agentName: "front desk", source: "production", measure: "unexplained_latency", unit: "ms" } as const;
  const period = { samples: 50, p50: 640, p90: 1100, p95: 1280, mean: 450, provenances: ["measured" as const] };
  const metrics: Metrics = {
    from: new Date(0).toISOString(),
    to: new Date(168 * 3_600_000).toISOString(),
    bucket: "hour",
    zone: "UTC",
    series: [{ ...series, period, buckets: [bucket(0, 1), bucket(167, 900)] }],
  };
  const [titles, line] = metricRows(metrics, "", 80).split("\n") as [string, string];
  expect(Math.max(titles.length, line.length)).toBeLessThanOrEqual(80);
  expect(titles).toMatch(/^AGENT +MEASURE +LAST P50 +LAST MEAN +MEAN BY HOUR$/);
  expect(line).toMatch(/640 ms +900 ms +│▁·+█│$/);
});

test("the line of a conversation shows its agent and its first words in a terminal of 80 columns", () => {
  const trace = {
    startedAt: "2026-11-21T08:52:33.000Z",
    traceId: "e87a0e1465e1d06e8d979e00fd1fec2a",
    state: "final",
    status: "ok",
    durationMs: 63_000,
    agentName: "clinic",
    turnCount: 7,
    responseLatency: { mean: 526 },
    preview: "Hello, clinic speaking.",
  } as TraceSummary;
  expect(summaryLine(trace, 80)).toMatch(/fec2a +ok +7 turns +clinic +Hello.*…$/);
  expect(summaryLine(trace, 80).length).toBeLessThanOrEqual(80);
  expect(summaryLine(trace, 160)).toMatch(/1 min 03 s +7 turns +answers in 526 ms +clinic +Hello, clinic speaking\.$/);
});
