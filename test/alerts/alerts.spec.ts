import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { Client } from "@svc/sdk";
import { newProject, setClock, START_MS, WINDOW_MS } from "../support/alert-windows.ts";
import type { OtlpSpan } from "../support/otlp.ts";
import { answeredCall, sendSpans } from "../support/production.ts";
import { startReceiver } from "../support/receiver.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { freshName } from "../support/world.ts";

let server: TestServer;
beforeAll(async () => {
  setClock(0);
  server = await startServer({
    settings: { SVC_OUTBOUND_PRIVATE: "true" },
    evaluateAlertsEveryMs: 20,
    productionPace: { everyMs: 50 },
    senderPace: { everyMs: 20 },
  });
});
afterEach(() => setClock(0));
afterAll(async () => {
  await server.stop();
  vi.useRealTimers();
});

let trace = 0;
/** Returns conversations of an agent in one window, each with one answer of this latency. */
function calls(agent: string, window: number, latencies: readonly number[], { fails = 0 } = {}): OtlpSpan[] {
  return latencies.flatMap((latencyMs, n) => {
    const startMs = START_MS + window * WINDOW_MS + n * 1_000;
    return answeredCall(++trace, { agent, startMs, latencyMs, fails: n < fails });
  });
}
const many = (latency: number, count = 25) => Array.from({ length: count }, () => latency);

type Rule = Parameters<Client["alertRules"]["create"]>[0];
const SLOW = {
  watch: { kind: "measure", measure: "response_latency", statistic: "p95" },
  windowMinutes: 15,
  condition: { is: "above", value: 2_000 },
} as const;
const create = (client: Client, more: Partial<Rule> = {}) =>
  client.alertRules.create({ name: freshName("rule"), ...SLOW, ...more });

const alertsOf = async (client: Client) => (await client.alerts.list({})).alerts;
const evaluatedTo = (client: Client, alertRuleId: string, window: number) =>
  until(`the rule is judged up to window ${window}`, async () => {
    const { alertRule } = await client.alertRules.get({ alertRuleId });
    return alertRule.evaluatedTo === new Date(START_MS + window * WINDOW_MS).toISOString() && alertRule;
  });

describe("an alert", () => {
  test("an alert is raised once when a window is bad, cleared once when one is good, and tells its destinations in this order", async () => {
    const client = await newProject(server);
    const receiver = await startReceiver();
    await client.destinations.create({
      name: "pager",
      kind: "webhook",
      url: receiver.url,
      eventTypes: ["alert.raised", "alert.cleared"],
    });
    const { alertRule } = await create(client, { name: "Hotel is slow", agents: ["Hotel"] });
    expect(alertRule).toMatchObject({ enabled: true, evaluatedTo: null, openAlerts: 0, minSamples: 20 });
    await sendSpans(server, client, [
      ...calls("Hotel", 0, many(900)),
      ...calls("Hotel", 1, many(2_400)),
      ...calls("Hotel", 2, many(2_500)),
      ...calls("Hotel", 3, many(1_000)),
      ...calls("Taxi", 1, many(9_000)),
    ]);
    setClock(4 * 15 + 2);
    await evaluatedTo(client, alertRule.id, 4);
    const [alert, ...others] = await alertsOf(client);
    expect(others).toEqual([]);
    expect(alert).toMatchObject({
      ruleName: "Hotel is slow",
      agentName: "Hotel",
      state: "cleared",
      clearedBecause: "recovered",
      value: 2_400,
      samples: 25,
      what: "p95 of response latency",
      unit: "ms",
      windowStartedAt: new Date(START_MS + WINDOW_MS).toISOString(),
      raisedAt: new Date(START_MS + 2 * WINDOW_MS).toISOString(),
      clearedAt: new Date(START_MS + 4 * WINDOW_MS).toISOString(),
    });
    await until("both events have arrived", () => receiver.received.length === 2);
    expect(receiver.received.map(({ event }) => event.type)).toEqual(["alert.raised", "alert.cleared"]);
    expect(receiver.received[0]!.event.link).toMatch(new RegExp(`/alerts/${alert!.id}$`));
    receiver.stop();
  });

  test("an alert is what the preview of the same rule says, for each agent, even over a restart and many windows at once", async () => {
    const client = await newProject(server);
    const more = { windowsInRow: 2, noData: "alert", minSamples: 5 } as const;
    const { alertRule } = await create(client, more);
    const spans = [1, 2, 3, 5, 6, 8, 9, 10, 13, 14, 15, 18].flatMap((window) => [
      ...calls("Hotel", window, many(window % 4 < 2 ? 2_500 : 500, window === 9 ? 3 : 25)),
      ...(window > 4 ? calls("Taxi", window, many(window > 9 ? 3_000 : 100)) : []),
    ]);
    await sendSpans(server, client, spans);
    for (const window of [4, 7, 20]) {
      setClock(window * 15 + 2);
      await evaluatedTo(client, alertRule.id, window);
    }
    const { series } = await client.alertRules.preview({ ...SLOW, ...more, days: 1 });
    const raised = (await alertsOf(client)).map(({ agentName, raisedAt, clearedAt, value, samples }) => ({
      agentName,
      alert: { raisedAt, clearedAt, value, samples },
    }));
    const previewed = series.flatMap(({ agentName, alerts }) => alerts.map((alert) => ({ agentName, alert })));
    const sorted = (all: typeof raised) => all.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    expect(sorted(raised)).toEqual(sorted(previewed));
    expect(raised.length).toBeGreaterThanOrEqual(3);
  });

  test("an alert of a muted rule is recorded, and no destination gets it", async () => {
    const client = await newProject(server);
    const { alertRule } = await create(client);
    await client.alertRules.edit({ alertRuleId: alertRule.id, mutedUntil: new Date(START_MS + 1e9).toISOString() });
    await sendSpans(server, client, calls("Hotel", 0, many(3_000)));
    setClock(17);
    await evaluatedTo(client, alertRule.id, 1);
    expect(await alertsOf(client)).toMatchObject([{ state: "open" }]);
    expect((await client.events.list({ type: "alert.raised" })).events).toEqual([]);
  });

  test("an alert is sent to the destinations of its rule and no others, and to all that choose alerts when these are deleted", async () => {
    const client = await newProject(server);
    const [ofRule, choosing] = await Promise.all([startReceiver(), startReceiver()]);
    const hook = (url: string, eventTypes: ("key.created" | "alert.raised")[]) =>
      client.destinations.create({ name: freshName("hook"), kind: "webhook", url, eventTypes });
    const { destination } = await hook(ofRule.url, ["key.created"]);
    await hook(choosing.url, ["alert.raised"]);
    const { alertRule } = await create(client, { destinationIds: [destination.id], noData: "ok" });
    const other = await server.client.destinations.create({
      name: freshName("hook"),
      kind: "webhook",
      url: ofRule.url,
      eventTypes: ["key.created"],
    });
    await expect(create(client, { destinationIds: [other.destination.id] })).rejects.toMatchObject({
      code: "unprocessable",
      message: expect.stringContaining(other.destination.id),
    });
    await sendSpans(server, client, [...calls("Hotel", 0, many(3_000)), ...calls("Hotel", 2, many(3_000))]);
    setClock(2 * 15 + 2);
    await evaluatedTo(client, alertRule.id, 2);
    await until("the alert and its end have arrived", () => ofRule.received.length === 2);
    await client.destinations.delete({ destinationId: destination.id });
    setClock(3 * 15 + 2);
    await evaluatedTo(client, alertRule.id, 3);
    await until("the next alert has arrived elsewhere", () => choosing.received.length === 1);
    expect([ofRule, choosing].map(({ received }) => received.map(({ event }) => event.type))).toEqual([
      ["alert.raised", "alert.cleared"],
      ["alert.raised"],
    ]);
    for (const receiver of [ofRule, choosing]) receiver.stop();
  });

  test("an alert is sent again after each interval of the rule while the value is bad, until a person acknowledges it", async () => {
    const client = await newProject(server);
    const receiver = await startReceiver();
    const { destination } = await client.destinations.create({
      name: "pager",
      kind: "webhook",
      url: receiver.url,
      eventTypes: ["alert.raised"],
    });
    const { alertRule } = await create(client, { remindAfterMinutes: 30 });
    const bad = [0, 1, 2, 3, 4, 5, 6, 8].flatMap((window) => calls("Hotel", window, many(2_500 + window)));
    await sendSpans(server, client, bad);
    for (let window = 1; window <= 7; window++) {
      setClock(window * 15 + 2);
      await evaluatedTo(client, alertRule.id, window);
    }
    const [alert] = await alertsOf(client);
    await client.alerts.acknowledge({ alertId: alert!.id });
    setClock(9 * 15 + 2);
    await evaluatedTo(client, alertRule.id, 9);
    await until("nothing is waiting", async () => {
      const { destination: now } = await client.destinations.get({ destinationId: destination.id });
      return now.waitingCount === 0 && receiver.received.length > 3;
    });
    const told = receiver.received.map(({ event }) =>
      event.type === "alert.reminded" ? [event.type, event.data.latest.value, event.data.alert.id] : [event.type],
    );
    expect(told).toEqual([
      ["alert.raised"],
      ["alert.reminded", 2_502, alert!.id],
      ["alert.reminded", 2_504, alert!.id],
      ["alert.reminded", 2_506, alert!.id],
    ]);
    receiver.stop();
  });

  test("an alert is acknowledged with a note, by a person", async () => {
    const client = await newProject(server);
    const { alertRule } = await create(client);
    await sendSpans(server, client, calls("Hotel", 0, many(3_000)));
    setClock(17);
    await evaluatedTo(client, alertRule.id, 1);
    const [alert] = await alertsOf(client);
    const acknowledged = await client.alerts.acknowledge({ alertId: alert!.id, note: "The model is slow today." });
    expect(acknowledged.alert).toMatchObject({
      note: "The model is slow today.",
      acknowledgedBy: expect.any(String),
      acknowledgedAt: expect.any(String),
      state: "open",
    });
  });

  test("an alert is cleared when its rule changes or is switched off, and stays when only its name changes", async () => {
    const client = await newProject(server);
    const { alertRule } = await create(client);
    const alertRuleId = alertRule.id;
    await sendSpans(server, client, calls("Hotel", 0, many(3_000)));
    setClock(17);
    await evaluatedTo(client, alertRuleId, 1);
    await client.alertRules.edit({ alertRuleId, name: "another name", severity: "critical" });
    expect(await alertsOf(client)).toMatchObject([{ state: "open" }]);
    await client.alertRules.edit({ alertRuleId, condition: { is: "above", value: 5_000 } });
    // The new limit is checked at once, and the window's value does not exceed it.
    await evaluatedTo(client, alertRuleId, 1);
    expect(await alertsOf(client)).toMatchObject([{ state: "cleared", clearedBecause: "rule_changed" }]);
    const { events } = await client.events.list({});
    expect(events.map(({ type }) => type).filter((type) => type.startsWith("alert."))).toEqual([
      "alert.cleared",
      "alert.raised",
    ]);
    expect((await client.alertRules.get({ alertRuleId })).alertRule).toMatchObject({ openAlerts: 0 });
  });
});

describe("what a rule watches", () => {
  test("shares of errors and numbers of conversations are judged from the counts", async () => {
    const client = await newProject(server);
    const errors = { watch: { kind: "errors" }, condition: { is: "above", value: 0.2 }, windowMinutes: 15 } as const;
    await create(client, { ...errors, name: "errors", minSamples: 10 });
    const few = { watch: { kind: "conversations" }, condition: { is: "below", value: 5 }, windowMinutes: 15 } as const;
    const { alertRule } = await create(client, { ...few, name: "few", agents: ["Hotel"] });
    await sendSpans(server, client, [
      ...calls("Hotel", 0, many(500, 20), { fails: 5 }),
      ...calls("Hotel", 2, many(500, 3), { fails: 3 }),
    ]);
    setClock(3 * 15 + 2);
    await evaluatedTo(client, alertRule.id, 3);
    await until("both rules are judged", async () => (await alertsOf(client)).length === 3);
    const alerts = await alertsOf(client);
    expect(alerts.find(({ ruleName }) => ruleName === "errors")).toMatchObject({
      value: 0.25,
      samples: 20,
      unit: "ratio",
    });
    // The first alert is about a window before the first call.
    expect(alerts.filter(({ ruleName }) => ruleName === "few")).toMatchObject([
      { value: 0, samples: 0, state: "open", raisedAt: new Date(START_MS + 2 * WINDOW_MS).toISOString() },
      { value: 0, samples: 0, state: "cleared", raisedAt: new Date(START_MS - WINDOW_MS).toISOString() },
    ]);
  });
});

test("the share that a grader failed is of the conversations that it decided, at the time of their grades", async () => {
  const client = await newProject(server);
  const grader = async (name: string, check: string, counts: boolean) => {
    const { grader: made } = await client.graders.create({
      name,
      definition: { kind: "check", check },
      scope: "production",
    });
    await client.graders.configure({ graderId: made.id, counts });
  };
  await grader("No guarantee", 'never says "guarantee"', true);
  await grader("No yes", 'never says "yes"', false);
  const failures = { condition: { is: "above", value: 0.2 }, minSamples: 10 } as const;
  const watching = (name: string | null) =>
    ({ watch: { kind: "grader_failures", grader: name }, ...failures }) as const;
  const rules = [
    await create(client, { name: "one", ...watching("No guarantee") }),
    await create(client, { name: "any", ...watching(null) }),
    await create(client, { name: "quiet", ...watching("No yes") }),
    await create(client, { name: "nobody", ...watching("Nobody"), noData: "ok" }),
  ];
  setClock(20);
  const said = ["I guarantee it.", "Of course.", "Perhaps.", "A room is free."];
  const spans = Array.from({ length: 12 }, (_, n) =>
    answeredCall(++trace, { agent: "Hotel", startMs: START_MS + n * 1_000, latencyMs: 500, said: said[n % 4]! }),
  );
  await sendSpans(server, client, spans.flat());
  await until("every conversation is graded", async () => {
    const { traces } = await client.traces.list({ verdict: "passed", pageSize: 50 });
    return traces.length === 12;
  });
  setClock(2 * 15 + 2);
  for (const { alertRule } of rules) await evaluatedTo(client, alertRule.id, 2);
  const found = (await alertsOf(client)).map(({ ruleName, value, samples }) => ({ ruleName, value, samples }));
  expect(found.toSorted((a, b) => (a.ruleName < b.ruleName ? -1 : 1))).toEqual([
    { ruleName: "any", value: 0.25, samples: 12 },
    { ruleName: "one", value: 0.25, samples: 12 },
  ]);
  const { series } = await client.alertRules.preview({ ...SLOW, ...watching("No yes"), days: 1 });
  expect(series.flatMap(({ windows }) => windows.filter(({ samples }) => samples > 0))).toMatchObject([
    { value: 0, samples: 12, judged: "good" },
  ]);
  await expect(create(client, { ...watching(null), source: "simulation" })).rejects.toMatchObject({
    code: "unprocessable",
  });
});

test("a project has its own rules and names, and a limit", async () => {
  const client = await newProject(server);
  await create(client, { name: "one" });
  await expect(create(client, { name: "one" })).rejects.toMatchObject({ code: "name_taken" });
  await expect(create(client, { windowMinutes: 7 as 5 })).rejects.toMatchObject({ status: 400 });
  await expect(create(client, { agents: Array.from({ length: 21 }, String) })).rejects.toMatchObject({ status: 422 });
  expect((await client.alertRules.list({})).alertRules.map(({ name }) => name)).toEqual(["one"]);
});
