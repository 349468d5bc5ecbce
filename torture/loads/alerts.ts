import { setTimeout as delay } from "node:timers/promises";
import type { Alert, AlertSeries } from "@svc/contract";
import { createClient, pages } from "@svc/sdk";
import { requestOf } from "../../test/support/ingest.ts";
import { encodeProtobuf, type OtlpSpan } from "../../test/support/otlp.ts";
import { answeredCall } from "../../test/support/production.ts";
import { type Receiver, startReceiver } from "../../test/support/receiver.ts";
import { until } from "../../test/support/until.ts";
import type { Draws } from "../random.ts";
import { type Access, lastingFaults, type Load } from "./load.ts";

const PAUSE_MS = 100;
const WINDOW_MS = 5 * 60_000;
/** More windows than the kills of a data folder pass. */
const WINDOWS = 30;
const CALLS_MAX = 2;
const AGENTS = ["Hotel", "Taxi", "Clinic"];

const LIMIT_MS = 2_000;
const SLOW = {
  watch: { kind: "measure", measure: "response_latency", statistic: "mean" },
  condition: { is: "above", value: LIMIT_MS },
  minSamples: 1,
} as const;
const RULES = [
  { name: "slow", ...SLOW },
  { name: "slow or silent for long", ...SLOW, windowsInRow: 2, noData: "alert" },
  { name: "errors", watch: { kind: "errors" }, condition: { is: "above", value: 0.4 }, minSamples: 1 },
  { name: "few", watch: { kind: "conversations" }, condition: { is: "below", value: 1 } },
] as const;

/** An alert as a text: its agent, when it was raised and cleared, and its value. */
const textOf = ({ agentName, raisedAt, clearedAt, value, samples }: RaisedAlert): string =>
  `${agentName} from ${raisedAt} to ${clearedAt ?? "now"}, ${value} of ${samples}`;
type RaisedAlert = Pick<Alert, "agentName" | "raisedAt" | "clearedAt" | "value" | "samples">;

/** What the service recorded for one rule. */
export type ReadAlerts = {
  ruleName: string;
  alerts: readonly (RaisedAlert & Pick<Alert, "id">)[];
  /** The series of a back-test of the rule. */
  backTest: readonly Pick<AlertSeries, "agentName" | "alerts">[];
  /** Events in the order in which they were recorded. */
  events: readonly AlertEvent[];
  /** Ids of the events that the receiver got, in the order of their first arrival. */
  arrived: readonly string[];
};
type AlertEvent = { id: string; type: string; alertId: string };

/**
 * Sends the conversations of the next windows, some of them slow or with an error, and lets rules judge each window while the service is
 * killed. The acknowledged facts are the alerts that the service showed, and those that it showed as cleared.
 */
export function alertLoad(): Load {
  /** The alerts that the service showed, by id. */
  const raised = new Map<string, RaisedAlert>();
  const ruleIds: string[] = [];
  let receiver: Receiver | undefined;
  let projectKey = "";

  const clientAt = (url: string) => createClient({ baseUrl: url, apiKey: projectKey, retries: 0 });
  const contentOf = (rule: (typeof RULES)[number]) => ({ ...rule, windowMinutes: 5 as const });

  async function prepare({ url, admin, draws }: Access): Promise<void> {
    const project_id = (await admin.projects.create({ name: "Alerts" })).project.id;
    projectKey = (await admin.keys.create({ project_id })).secret;
    const client = clientAt(url);
    receiver = await startReceiver();
    const eventTypes = ["alert.raised" as const, "alert.cleared" as const];
    await client.destinations.create({ name: "pager", kind: "webhook", url: receiver.url, eventTypes });
    const { to } = await client.alertRules.preview({ ...contentOf(RULES[0]), days: 1 });
    const fromMs = Date.parse(to) + WINDOW_MS;
    const { spans, calls } = callsFrom(fromMs, draws);
    await client.traces.ingest({ body: encodeProtobuf(requestOf(spans)), contentType: "application/x-protobuf" });
    const period = { from: to, to: new Date(fromMs + WINDOWS * WINDOW_MS).toISOString() };
    await until("the answers of all calls are measured", async () => {
      const { series } = await client.metrics.get({ ...period, measure: "response_latency" });
      return (
        series.reduce((sum, { buckets }) => sum + buckets.reduce((of, { samples }) => of + samples, 0), 0) === calls
      );
    });
    for (const rule of RULES) ruleIds.push((await client.alertRules.create(contentOf(rule))).alertRule.id);
  }

  function remember(alert: Alert): void {
    const known = raised.get(alert.id);
    if (known === undefined || known.clearedAt === null) raised.set(alert.id, alert);
  }

  async function step({ url }: Access): Promise<void> {
    const client = clientAt(url);
    for await (const alert of pages(client.alerts.list, { pageSize: 200 })) remember(alert);
    await delay(PAUSE_MS);
  }

  function faults(access: Access): Promise<string[]> {
    const client = clientAt(access.url);
    return lastingFaults(access, async () => {
      const found: string[] = [];
      const events: AlertEvent[] = [];
      for await (const { id, type, data } of pages(client.events.list, { pageSize: 200 }))
        if ("alert" in data) events.unshift({ id, type, alertId: data.alert.id });
      const arrived = [...new Set(receiver!.received.map(({ event }) => event.id))];
      const listed = new Map<string, Alert>();
      for (const [at, rule] of RULES.entries()) {
        const alertRuleId = ruleIds[at]!;
        const { alertRule } = await client.alertRules.get({ alertRuleId });
        const alerts: Alert[] = [];
        for await (const alert of pages(client.alerts.list, { alertRuleId, pageSize: 200 })) alerts.push(alert);
        for (const alert of alerts) listed.set(alert.id, alert);
        const { to, series } = await client.alertRules.preview({ ...contentOf(rule), days: 1 });
        const ids = new Set(alerts.map(({ id }) => id));
        const ofRule = events.filter(({ alertId }) => ids.has(alertId));
        found.push(...faultsOfAlerts({ ruleName: rule.name, alerts, backTest: series, events: ofRule, arrived }));
        const open = alerts.filter(({ clearedAt }) => clearedAt === null).length;
        if (alertRule.evaluatedTo !== null && alertRule.evaluatedTo !== to)
          found.push(`alerts: ${rule.name}: judged up to ${alertRule.evaluatedTo} instead of ${to}`);
        if (alertRule.openAlerts !== open)
          found.push(`alerts: ${rule.name}: ${alertRule.openAlerts} open alerts are counted, ${open} are listed`);
      }
      for (const { id, alertId } of events)
        if (!listed.has(alertId)) found.push(`alerts: the event ${id} is about an alert that nobody recorded`);
      for (const [id, known] of raised) {
        const now = listed.get(id);
        const isSame =
          now !== undefined && textOf({ ...now, clearedAt: known.clearedAt ?? now.clearedAt }) === textOf(now);
        if (!isSame) found.push(`alerts: ${id} was "${textOf(known)}" and is ${now ? `"${textOf(now)}"` : "missing"}`);
      }
      for (const alert of listed.values()) remember(alert);
      return found;
    });
  }

  return {
    name: "alerts",
    prepare,
    step,
    faults,
    acknowledged: () => {
      const cleared = [...raised.values()].filter(({ clearedAt }) => clearedAt !== null);
      return raised.size + cleared.length;
    },
    plant: () =>
      void raised.set("alt_06ft2v8xk3n9q4w7r1y5z0abcd", {
        agentName: null,
        raisedAt: new Date(0).toISOString(),
        clearedAt: null,
        value: 0,
        samples: 0,
      }),
    close: async () => receiver?.stop(),
  };
}

/** Returns the spans of random calls in the windows from a time, and the number of the calls. */
function callsFrom(fromMs: number, draws: Draws): { spans: OtlpSpan[]; calls: number } {
  const spans: OtlpSpan[] = [];
  let calls = 0;
  for (let window = 0; window < WINDOWS; window++)
    for (const agent of AGENTS) {
      const isSlow = draws.next() < 0.5;
      for (let call = draws.whole(0, CALLS_MAX); call > 0; call--) {
        const startMs = fromMs + window * WINDOW_MS + draws.whole(0, WINDOW_MS - 1);
        const latencyMs = isSlow ? draws.whole(LIMIT_MS + 1, 2 * LIMIT_MS) : draws.whole(1, LIMIT_MS - 1);
        spans.push(...answeredCall(++calls, { agent, startMs, latencyMs, fails: draws.next() < 0.3 }));
      }
    }
  return { spans, calls };
}

/**
 * Returns the faults of a rule's alerts. They must be those of a back-test. Each must have one event for its start and one for its end,
 * and the receiver must have got these events in their order.
 */
export function faultsOfAlerts({ ruleName, alerts, backTest, events, arrived }: ReadAlerts): string[] {
  const found: string[] = [];
  const recorded = alerts.map(textOf);
  const expected = backTest.flatMap(({ agentName, alerts: all }) =>
    all.map((alert) => textOf({ agentName, ...alert })),
  );
  for (const text of new Set([...recorded, ...expected])) {
    const [is, should] = [recorded, expected].map((texts) => texts.filter((each) => each === text).length);
    if (is !== should) found.push(`the alert "${text}" is recorded ${is} times instead of ${should}`);
  }
  for (const { id, clearedAt } of alerts) {
    const types = events.filter(({ alertId }) => alertId === id).map(({ type }) => type);
    const wanted = clearedAt === null ? "alert.raised" : "alert.raised, alert.cleared";
    if (types.join(", ") !== wanted)
      found.push(`the alert ${id} has the events "${types.join(", ")}", not "${wanted}"`);
    const sent = events.filter(({ alertId }) => alertId === id).map((event) => event.id);
    const got = arrived.filter((eventId) => sent.includes(eventId));
    if (got.join() !== sent.join())
      found.push(`of ${sent.length} events of ${id}, ${got.length} arrived in their order`);
  }
  return found.map((fault) => `alerts: ${ruleName}: ${fault}`);
}
