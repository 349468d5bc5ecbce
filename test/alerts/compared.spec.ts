import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { START_MS, WINDOW_MS } from "../support/alert-windows.ts";
import { answeredCall, sendSpans } from "../support/production.ts";
import { startReceiver } from "../support/receiver.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

const RULE = {
  watch: { kind: "measure", measure: "response_latency", statistic: "mean" },
  windowMinutes: 15,
  minSamples: 5,
  condition: { is: "above", usual: "windows_before", confidence: 0.99 },
} as const;

let server: TestServer;
beforeAll(async () => {
  setWindow(0);
  server = await startServer({
    settings: { SVC_OUTBOUND_PRIVATE: "true" },
    evaluateAlertsEveryMs: 20,
    senderPace: { everyMs: 20 },
  });
});
afterAll(async () => {
  await server.stop();
  vi.useRealTimers();
});

/** Sets the clock to two minutes after the start of a window. Timers use the real clock. */
const setWindow = (window: number) =>
  vi.useFakeTimers({ now: START_MS + window * WINDOW_MS + 120_000, toFake: ["Date"] });

test("windows that are compared raise the alert that their preview shows, and the event says what is usual", async () => {
  const { client } = server;
  const receiver = await startReceiver();
  await client.destinations.create({ name: "pager", kind: "webhook", url: receiver.url, eventTypes: ["alert.raised"] });
  const { alertRule } = await client.alertRules.create({ name: "Slower than usual", agents: ["Hotel"], ...RULE });
  let trace = 0;
  const latencyOf = (window: number) => (window < 20 ? 900 + (window % 4) * 20 : window < 34 ? 2_400 : 930);
  for (const [from, to] of [
    [0, 21],
    [21, 34],
    [34, 37],
  ] as const) {
    const windows = Array.from({ length: to - from }, (_, n) => from + n);
    await sendSpans(
      server,
      client,
      windows.flatMap((window) =>
        Array.from({ length: 6 }, (_, n) =>
          answeredCall(++trace, {
            agent: "Hotel",
            startMs: START_MS + window * WINDOW_MS + n * 1_000,
            latencyMs: latencyOf(window),
          }),
        ).flat(),
      ),
    );
    setWindow(to);
    await until(`the rule is judged up to window ${to}`, async () => {
      const { evaluatedTo } = (await client.alertRules.get({ alertRuleId: alertRule.id })).alertRule;
      return evaluatedTo === new Date(START_MS + to * WINDOW_MS).toISOString();
    });
  }
  const { alerts } = await client.alerts.list({});
  expect(alerts).toHaveLength(1);
  expect(alerts[0]).toMatchObject({
    value: 2_400,
    usual: 930,
    condition: { is: "above" },
    windowStartedAt: new Date(START_MS + 20 * WINDOW_MS).toISOString(),
    clearedAt: new Date(START_MS + 35 * WINDOW_MS).toISOString(),
  });
  const { series } = await client.alertRules.preview({ ...RULE, agents: ["Hotel"], days: 1 });
  const { raisedAt, clearedAt, value, samples, condition, windowStartedAt } = alerts[0]!;
  expect(series[0]!.alerts).toEqual([{ raisedAt, clearedAt, value, samples }]);
  const window = series[0]!.windows.find(({ startedAt }) => startedAt === windowStartedAt)!;
  expect(window).toMatchObject({ judged: "bad", usual: 930, limit: condition.value });
  // Seven windows before the eighth are too few to compare it with.
  expect(series[0]!.windows.find(({ startedAt }) => Date.parse(startedAt) === START_MS + 7 * WINDOW_MS)).toMatchObject({
    judged: "too_few",
    limit: null,
  });
  await until("the event has arrived", () => receiver.received.length === 1);
  expect(receiver.received[0]!.event.data).toMatchObject({ alert: { usual: 930 } });
  receiver.stop();
});

test("windows longer than an hour have no same hours", async () => {
  const condition = { is: "above", usual: "same_hours", confidence: 0.99 } as const;
  const rule = { name: "Days", ...RULE, windowMinutes: 1_440, condition } as const;
  await expect(server.client.alertRules.create(rule)).rejects.toThrow(/at most an hour/);
  await expect(server.client.alertRules.preview(rule)).rejects.toThrow(/at most an hour/);
  const { alertRule } = await server.client.alertRules.create({ ...rule, windowMinutes: 60 });
  const edit = { alertRuleId: alertRule.id, windowMinutes: 180 } as const;
  await expect(server.client.alertRules.edit(edit)).rejects.toThrow(/at most an hour/);
});
