import type { Alert } from "@svc/contract";
import type { Client } from "@svc/sdk";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { newProject } from "../support/alert-windows.ts";
import { spanOf } from "../support/ingest.ts";
import type { OtlpSpan } from "../support/otlp.ts";
import { sendSpans } from "../support/production.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

// A month of five agents, sent as spans day by day. Each agent has one planted change, which a rule of its own must notice.

const HOUR_MS = 3_600_000;
const DAYS = 30;
const CALLS_AN_HOUR = 10;
const ANSWERS_A_CALL = 2;
const START_MS = Math.floor(Date.now() / HOUR_MS / 24) * HOUR_MS * 24 - (DAYS + 1) * 24 * HOUR_MS;
const LIMIT_MS = 2_500;

/** The hours of the planted changes. */
const STEP = { from: 400, to: 500 };
const DRIFT_FROM = 300;
const EVENING = { from: 26 * 24 + 19, to: 26 * 24 + 22 };
const GAP = { from: 500, to: 506 };
const BAD_FROM = 600;

type Agent = { name: string; factorAt: (hour: number) => number; callsAt: (hour: number) => number; errorRate: number };
type Hourly = (hour: number) => number;

const agentOf = (name: string, factorAt: Hourly = () => 1, more: Partial<Agent> = {}): Agent => ({
  name,
  factorAt,
  callsAt: () => CALLS_AN_HOUR,
  errorRate: 0.01,
  ...more,
});
/** The answers of the bank take up to 2.2 times as long in the evening. */
const evening = (hour: number) => 1 + 1.2 * Math.max(0, Math.sin((2 * Math.PI * ((hour % 24) - 13)) / 24));

const AGENTS: readonly Agent[] = [
  agentOf("Taxi", (hour) => (hour >= STEP.from && hour < STEP.to ? 3 : 1)),
  agentOf("Clinic", (hour) => 1 + Math.max(0, hour - DRIFT_FROM) / 200),
  agentOf("Bank", (hour) => evening(hour) * (hour >= EVENING.from && hour < EVENING.to ? 3 : 1)),
  agentOf("Shop", undefined, { callsAt: (hour) => (hour >= GAP.from && hour < GAP.to ? 0 : CALLS_AN_HOUR) }),
  agentOf("Hotel"),
];

let state = 20_261_128;
/** Returns a number from 0 to 1. The numbers are the same in each run. */
function uniform(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return (state + 1) / 4_294_967_297;
}
const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());

let trace = 0;
/** The sent latencies of the clinic, by hour. */
const clinicMs: number[][] = [];

function callOf({ name, factorAt, errorRate }: Agent, hour: number, n: number): OtlpSpan[] {
  const number = ++trace;
  const startMs = START_MS + hour * HOUR_MS + n * 300_000;
  const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  const job = text("lk.job_id", `call ${number}`);
  const between = (fromMs: number, toMs: number) => ({
    startTimeUnixNano: `${startMs + fromMs}000000`,
    endTimeUnixNano: `${startMs + toMs}000000`,
  });
  const isBad = name === "Hotel" && hour >= BAD_FROM;
  const fails = uniform() < (isBad ? 0.8 : errorRate);
  const daily = 1 + 0.1 * Math.sin((2 * Math.PI * (hour % 24)) / 24);
  const answers = Array.from({ length: ANSWERS_A_CALL }, (_, at) => {
    const latencyMs = Math.round(900 * daily * factorAt(hour) * Math.exp(0.25 * normal()));
    if (name === "Clinic") (clinicMs[hour] ??= []).push(latencyMs);
    const latency = { key: "lk.e2e_latency", value: { doubleValue: latencyMs / 1_000 } };
    const startMs = at * 25_000;
    return [
      spanOf(number, 2 * at + 1, {
        name: "user_turn",
        ...between(startMs, startMs + 1_000),
        attributes: [job, text("lk.user_transcript", "A room, please.")],
      }),
      spanOf(number, 2 * at + 2, {
        name: "agent_turn",
        ...between(startMs + 1_100, startMs + 20_000),
        attributes: [job, latency, text("lk.response.text", "Yes.")],
      }),
    ];
  }).flat();
  const root = { name: "job_entrypoint", ...between(0, 60_000), attributes: [job, text("gen_ai.agent.name", name)] };
  return [spanOf(number, 0, { ...root, ...(fails && { status: { code: 2 } }) }), ...answers];
}

type Rule = Omit<Parameters<Client["alertRules"]["create"]>[0], "windowMinutes">;
const latency = (statistic: "p50" | "p90" | "p95" | "mean") => ({
  kind: "measure" as const,
  measure: "response_latency" as const,
  statistic,
});
/** Compares with earlier windows. As docs/alerts.md advises, two windows in a row must be bad, because one often is by chance. */
const IN_ROW = 2;
const usually = (usual: "windows_before" | "same_hours") => ({
  is: "above" as const,
  usual,
  confidence: 0.999 as const,
});
const HOURLY = { windowMinutes: 60, minSamples: CALLS_AN_HOUR } as const;

const PLANTED: readonly Rule[] = [
  { name: "step", watch: latency("p95"), agents: ["Taxi"], condition: usually("windows_before"), windowsInRow: IN_ROW },
  { name: "drift", watch: latency("p95"), agents: ["Clinic"], condition: { is: "above", value: LIMIT_MS } },
  {
    name: "daily shape",
    watch: latency("p90"),
    agents: ["Bank"],
    condition: usually("same_hours"),
    windowsInRow: IN_ROW,
  },
  { name: "gap", watch: { kind: "conversations" }, agents: ["Shop"], condition: { is: "below", value: 1 } },
  { name: "bad agent", watch: { kind: "errors" }, condition: { is: "above", value: 0.4 } },
];
/** Rules over values without a planted change. */
const NOISE: readonly Rule[] = [
  ...["Hotel", "Shop"].flatMap((agent) =>
    (["p50", "p90", "p95", "mean"] as const).flatMap((statistic) =>
      (["windows_before", "same_hours"] as const).map((usual) => ({
        name: `noise ${agent} ${statistic} ${usual}`,
        watch: latency(statistic),
        agents: [agent],
        condition: usually(usual),
        windowsInRow: IN_ROW,
      })),
    ),
  ),
  ...["Taxi", "Clinic", "Bank", "Shop"].map((agent) => ({
    name: `noise ${agent} errors`,
    watch: { kind: "errors" as const },
    agents: [agent],
    condition: usually("windows_before"),
    windowsInRow: IN_ROW,
  })),
];

let server: TestServer;
let client: Client;
let alerts: Alert[] = [];
const setHour = (hour: number) => vi.useFakeTimers({ now: START_MS + hour * HOUR_MS + 2 * 60_000, toFake: ["Date"] });

beforeAll(async () => {
  setHour(0);
  server = await startServer({ evaluateAlertsEveryMs: 20 });
  client = await newProject(server);
  for (let day = 0; day < DAYS; day++) {
    const calls = Array.from({ length: 24 }, (_, of) => day * 24 + of).flatMap((hour) =>
      AGENTS.flatMap((agent) => Array.from({ length: agent.callsAt(hour) }, (_, n) => callOf(agent, hour, n)).flat()),
    );
    await sendSpans(server, client, calls);
    const hour = (day + 1) * 24;
    setHour(hour);
    if (day === 0) for (const rule of [...PLANTED, ...NOISE]) await client.alertRules.create({ ...HOURLY, ...rule });
    await until(`every rule is judged up to the hour ${hour}`, async () => {
      const { alertRules } = await client.alertRules.list({ pageSize: 100 });
      return alertRules.every(
        ({ evaluatedTo }) => evaluatedTo !== null && Date.parse(evaluatedTo) === START_MS + hour * HOUR_MS,
      );
    });
  }
  alerts = (await client.alerts.list({ pageSize: 100 })).alerts.toReversed();
}, 600_000);
afterAll(async () => {
  await server.stop();
  vi.useRealTimers();
});

/** Returns the hours of the windows that raised the alerts of a rule. */
const raised = (name: string) =>
  alerts
    .filter(({ ruleName }) => ruleName === name)
    .map(({ windowStartedAt }) => (Date.parse(windowStartedAt) - START_MS) / HOUR_MS);
const agentsOf = (name: string) => alerts.filter(({ ruleName }) => ruleName === name).map(({ agentName }) => agentName);

test("a step in stored conversations is raised once, as soon as its rule may", () => {
  expect(raised("step")).toEqual([STEP.from + IN_ROW - 1]);
});

test("a drift in stored conversations is raised in the first window beyond the limit", () => {
  const crossed = clinicMs.findIndex((all) => percentile95(all) > LIMIT_MS);
  expect(crossed).toBeGreaterThan(DRIFT_FROM);
  expect(raised("drift")[0]).toBe(crossed);
});

test("a daily shape raises nothing, and a slow evening is raised as soon as its rule may", () => {
  expect(raised("daily shape")).toEqual([EVENING.from + IN_ROW - 1]);
});

test("a gap of conversations is raised in its first window, once", () => {
  expect(raised("gap")).toEqual([GAP.from]);
});

test("one bad agent of five is raised in its first window, and no other agent", () => {
  expect(raised("bad agent")[0]).toBe(BAD_FROM);
  expect(new Set(agentsOf("bad agent"))).toEqual(new Set(["Hotel"]));
});

test("20 rules over noise raise at most one false alert in the month", async () => {
  expect(NOISE).toHaveLength(20);
  for (const rule of NOISE) {
    const { name, ...content } = { ...HOURLY, ...rule };
    const { series } = await client.alertRules.preview({ days: DAYS, ...content });
    const judged = series.flatMap(({ windows }) => windows.filter((window) => window.judged === "good"));
    expect([name, judged.length]).toEqual([name, expect.toSatisfy((count: number) => count > (DAYS * 24) / 3)]);
  }
  const falseAlerts = alerts.filter(({ ruleName }) => ruleName.startsWith("noise"));
  expect(falseAlerts.map(({ ruleName }) => `${ruleName} at ${raised(ruleName)}`).slice(1)).toEqual([]);
});

test("a back-test of each rule raises exactly the alerts that the evaluation raised, with their values, samples and ends", async () => {
  const sorted = (all: readonly object[]) => all.map((one) => JSON.stringify(one)).toSorted();
  for (const rule of [...PLANTED, ...NOISE]) {
    const { name, ...content } = { ...HOURLY, ...rule };
    const { series } = await client.alertRules.preview({ days: DAYS, ...content });
    const found = series.flatMap(({ agentName, alerts: own }) =>
      own.map(({ raisedAt, clearedAt, value, samples }) => ({ agentName, raisedAt, clearedAt, value, samples })),
    );
    const evaluated = alerts
      .filter(({ ruleName }) => ruleName === name)
      .map(({ agentName, raisedAt, clearedAt, value, samples }) => ({
        agentName,
        raisedAt,
        clearedAt,
        value,
        samples,
      }));
    expect([name, sorted(found)]).toEqual([name, sorted(evaluated)]);
  }
});

/** The 95th percentile by linear interpolation, as measures have it. */
function percentile95(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const place = 0.95 * (sorted.length - 1);
  const below = Math.floor(place);
  const [low, high] = [sorted[below]!, sorted[Math.min(below + 1, sorted.length - 1)]!];
  return low + (place - below) * (high - low);
}
