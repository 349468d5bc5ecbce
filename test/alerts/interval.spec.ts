import type { Client } from "@svc/sdk";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { ranksAround } from "../../packages/server/src/alerts/interval-rules.ts";
import { START_MS, WINDOW_MS } from "../support/alert-windows.ts";
import { answeredCall, sendSpans } from "../support/production.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

/** Returns the probability that between `low` and `high` - 1 of n samples lie below the true percentile. */
function coverage(samples: number, share: number, [low, high]: readonly [number, number]): number {
  let covered = 0;
  let logChoices = 0;
  for (let below = 0; below <= samples; below++) {
    if (below > 0) logChoices += Math.log(samples - below + 1) - Math.log(below);
    // A rank outside the samples is no bound.
    if (below >= low && (below < high || high > samples))
      covered += Math.exp(logChoices + below * Math.log(share) + (samples - below) * Math.log(1 - share));
  }
  return covered;
}

test.each([
  ["p50", 0.5],
  ["p90", 0.9],
  ["p95", 0.95],
] as const)(
  "the samples around the %s contain the true one in at least 95 of 100 windows, and not in all",
  (statistic, share) => {
    for (const samples of [20, 25, 40, 100, 200, 1_000, 5_000]) {
      const covered = coverage(samples, share, ranksAround(statistic, samples));
      expect([samples, covered >= 0.95 - 1e-9, covered < 0.995]).toEqual([samples, true, true]);
    }
  },
);

describe("an alert holds the interval of its value", () => {
  let server: TestServer;
  let client: Client;
  beforeAll(async () => {
    vi.useFakeTimers({ now: START_MS + WINDOW_MS + 120_000, toFake: ["Date"] });
    server = await startServer({ evaluateAlertsEveryMs: 20 });
    client = server.client;
    const latencies = Array.from({ length: 40 }, (_, n) => 1_000 + n * 100);
    await sendSpans(
      server,
      client,
      latencies.flatMap((latencyMs, n) =>
        answeredCall(n + 1, { agent: "Hotel", startMs: START_MS + n * 1_000, latencyMs, fails: n < 10 }),
      ),
    );
  });
  afterAll(async () => {
    await server.stop();
    vi.useRealTimers();
  });

  type Rule = Parameters<Client["alertRules"]["create"]>[0];
  const latency = (statistic: "p50" | "p95" | "mean") =>
    ({ kind: "measure", measure: "response_latency", statistic }) as const;

  test.each<[string, Rule["watch"], Rule["condition"], number, { low: number | null; high: number | null } | null]>([
    // The samples with the ranks 14 and 27 of 40, as in tables of the sign test.
    ["a median", latency("p50"), { is: "above", value: 2_000 }, 2_900, { low: 2_300, high: 3_600 }],
    // The sample with the rank 35. A sample with the rank 41 would be needed for the other bound.
    [
      "a high percentile of few samples",
      latency("p95"),
      { is: "above", value: 2_000 },
      4_700,
      { low: 4_400, high: null },
    ],
    ["a mean", latency("mean"), { is: "above", value: 2_000 }, 2_950, { low: 2_576, high: 3_324 }],
    // Wilson's interval of 10 of 40.
    ["a share", { kind: "errors" }, { is: "above", value: 0.1 }, 0.25, { low: 0.1419, high: 0.4019 }],
    ["a number", { kind: "conversations" }, { is: "above", value: 5 }, 40, null],
  ])("of %s", async (name, watch, condition, value, interval) => {
    const { alertRule } = await client.alertRules.create({
      name,
      watch,
      condition,
      windowMinutes: 15,
      agents: ["Hotel"],
    });
    const alert = await until("the alert is raised", async () => {
      const { alerts } = await client.alerts.list({ alertRuleId: alertRule.id });
      return alerts[0];
    });
    expect(alert.value).toBeCloseTo(value, 3);
    const near = (bound: number | null) => (bound === null ? null : expect.closeTo(bound, bound > 1 ? 0 : 3));
    expect(alert.interval).toEqual(interval && { low: near(interval.low), high: near(interval.high) });
  });
});
