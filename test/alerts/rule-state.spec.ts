import type { Client } from "@svc/sdk";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { newProject, setClock, START_MS, WINDOW_MS } from "../support/alert-windows.ts";
import { answeredCall, sendSpans } from "../support/production.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

let server: TestServer;
beforeAll(async () => {
  setClock(0);
  server = await startServer({ evaluateAlertsEveryMs: 20 });
});
afterEach(() => setClock(0));
afterAll(async () => {
  await server.stop();
  vi.useRealTimers();
});

let trace = 0;
const calls = (agent: string, window: number, count: number, latencyMs: number) =>
  Array.from({ length: count }, (_, n) =>
    answeredCall(++trace, { agent, startMs: START_MS + window * WINDOW_MS + n * 1_000, latencyMs }),
  ).flat();

const SLOW = {
  watch: { kind: "measure", measure: "response_latency", statistic: "p95" },
  windowMinutes: 15,
  condition: { is: "above", value: 2_000 },
} as const;

/** Returns the rule when it is judged up to the end of the window. */
const judged = (client: Client, alertRuleId: string, window: number) =>
  until(`the rule is judged up to window ${window}`, async () => {
    const { alertRule } = await client.alertRules.get({ alertRuleId });
    return alertRule.evaluatedTo === new Date(START_MS + (window + 1) * WINDOW_MS).toISOString() && alertRule;
  });
const afterWindow = (window: number) => setClock((window + 1) * 15 + 2);

test("a rule says that a window had too few samples, no samples, was bad or good, and for how many agents", async () => {
  const client = await newProject(server);
  const { alertRule } = await client.alertRules.create({ ...SLOW, name: "slow", windowsInRow: 2 });
  expect(alertRule).toMatchObject({ state: "not_judged", lastWindow: null });
  await sendSpans(server, client, [
    ...calls("Hotel", 0, 3, 500),
    ...calls("Hotel", 1, 25, 500),
    ...calls("Taxi", 1, 3, 500),
    ...calls("Hotel", 3, 25, 2_500),
    ...calls("Hotel", 4, 25, 2_500),
  ]);
  const none = { good: 0, bad: 0, tooFew: 0, noData: 0 };
  const expected = [
    [0, "too_few", { ...none, tooFew: 1 }],
    [1, "good", { ...none, good: 1, tooFew: 1 }],
    [2, "no_data", { ...none, noData: 2 }],
    [3, "bad", { ...none, bad: 1, noData: 1 }],
    [4, "open", { ...none, bad: 1, noData: 1 }],
  ] as const;
  for (const [window, state, lastWindow] of expected) {
    afterWindow(window);
    expect(await judged(client, alertRule.id, window)).toMatchObject({ state, lastWindow });
  }
  const edit = { alertRuleId: alertRule.id };
  expect((await client.alertRules.edit({ ...edit, enabled: false })).alertRule).toMatchObject({ state: "disabled" });
});

test("a mute of one agent lets the rule tell of its other agents, until its time or until it is ended", async () => {
  const client = await newProject(server);
  const { alertRule } = await client.alertRules.create({ ...SLOW, name: "slow", minSamples: 1, noData: "ok" });
  const alertRuleId = alertRule.id;
  const until3 = new Date(START_MS + 3.5 * WINDOW_MS).toISOString();
  const muted = { agentName: "Hotel", until: until3 };
  const edited = await client.alertRules.edit({ alertRuleId, mutedAgents: [muted] });
  expect(edited.alertRule).toMatchObject({ mutedAgents: [muted], mutedUntil: null, state: "not_judged" });
  await sendSpans(server, client, [
    ...[0, 2, 4].flatMap((window) => calls("Hotel", window, 25, 3_000)),
    ...calls("Taxi", 0, 25, 3_000),
  ]);
  for (const window of [0, 1, 2, 3, 4]) {
    afterWindow(window);
    await judged(client, alertRuleId, window);
  }
  const told = async () => {
    const { events } = await client.events.list({});
    return events
      .flatMap((event) =>
        event.type === "alert.raised" || event.type === "alert.cleared"
          ? [`${event.type} ${event.data.alert.agentName}`]
          : [],
      )
      .toReversed();
  };
  // The mute ended before the window 3 was judged, so its end is told.
  expect(await told()).toEqual([
    "alert.raised Taxi",
    "alert.cleared Taxi",
    "alert.cleared Hotel",
    "alert.raised Hotel",
  ]);
  expect((await client.alerts.list({})).alerts.map(({ agentName }) => String(agentName)).toSorted()).toEqual([
    "Hotel",
    "Hotel",
    "Hotel",
    "Taxi",
  ]);
  expect((await client.alertRules.get({ alertRuleId })).alertRule.mutedAgents).toEqual([]);
  const other = { agentName: null, until: new Date(START_MS + 1e9).toISOString() };
  await client.alertRules.edit({ alertRuleId, mutedAgents: [other] });
  await client.alertRules.edit({ alertRuleId, name: "renamed" });
  expect((await client.alertRules.get({ alertRuleId })).alertRule.mutedAgents).toEqual([other]);
  const ended = await client.alertRules.edit({ alertRuleId, mutedAgents: [] });
  expect(ended.alertRule.mutedAgents).toEqual([]);
});
