import type { Client } from "@svc/sdk";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { newProject, START_MS, WINDOW_MS } from "../support/alert-windows.ts";
import { spanOf, traceIdOf } from "../support/ingest.ts";
import { attribute, type OtlpSpan } from "../support/otlp.ts";
import { sendSpans } from "../support/production.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

type Call = { interrupted?: boolean[]; unanswered?: number };

/** Each agent turn of a call is interrupted or not, or has nothing that says so. The caller speaks again before the last answers. */
const CALLS: Call[] = [
  { interrupted: [true, true] },
  { interrupted: [false, true] },
  { interrupted: [false, false] },
  { interrupted: [false, false], unanswered: 1 },
  { interrupted: [false] },
  { unanswered: 2 },
  {},
  {},
];

function spansOf({ interrupted, unanswered = 0 }: Call, trace: number): OtlpSpan[] {
  const named = [attribute("lk.job_id", `job ${trace}`), attribute("gen_ai.agent.name", "Hotel")];
  let atMs = START_MS + trace * 10_000;
  let span = 0;
  const next = (name: string, ...attributes: OtlpSpan["attributes"] & object[]) => {
    const [startMs, endMs] = [atMs, (atMs += 100)];
    return spanOf(trace, ++span, {
      name,
      startTimeUnixNano: `${startMs}000000`,
      endTimeUnixNano: `${endMs}000000`,
      attributes: [...named, ...attributes],
    });
  };
  const said = () => next("user_turn", attribute("lk.user_transcript", "A room, please."));
  const spans = (interrupted ?? [undefined]).flatMap((wasInterrupted) => [
    said(),
    next(
      "agent_turn",
      attribute("lk.response.text", "Which one?"),
      ...(wasInterrupted === undefined ? [] : [attribute("lk.interrupted", wasInterrupted)]),
      ...(wasInterrupted === true ? [attribute("lk.interruption.source", "user_turn")] : []),
    ),
  ]);
  for (let n = 0; n < unanswered; n++) spans.push(said());
  spans.push(said(), next("agent_turn", attribute("lk.response.text", "Yes.")));
  return [
    spanOf(trace, 0, {
      name: "job_entrypoint",
      startTimeUnixNano: `${START_MS + trace * 10_000}000000`,
      endTimeUnixNano: `${atMs}000000`,
      attributes: named,
    }),
    ...spans,
  ];
}

/** Returns a call whose caller speaks from 1 s to 2 s, and whose agent speaks from `agentMs` to 5 s. */
function heardCall(trace: number, agentMs: number): OtlpSpan[] {
  const named = [attribute("lk.job_id", `heard ${trace}`), attribute("gen_ai.agent.name", "Hotel")];
  const span = (number: number, name: string, startMs: number, endMs: number, more: Partial<OtlpSpan> = {}) =>
    spanOf(trace, number, {
      name,
      startTimeUnixNano: `${START_MS + startMs}000000`,
      endTimeUnixNano: `${START_MS + endMs}000000`,
      ...more,
      attributes: [...named, ...(more.attributes ?? [])],
    });
  const asked = span(1, "user_turn", 1_000, 2_200, { attributes: [attribute("lk.user_transcript", "A room.")] });
  const answered = span(2, "agent_turn", agentMs, 5_000, {
    attributes: [attribute("lk.response.text", "Which one?"), attribute("lk.interrupted", false)],
  });
  return [
    span(0, "job_entrypoint", 0, 6_000),
    asked,
    span(3, "user_speaking", 1_000, 2_000, { parentSpanId: asked.spanId! }),
    answered,
    span(4, "agent_speaking", agentMs, 5_000, { parentSpanId: answered.spanId! }),
  ];
}

let server: TestServer;
let client: Client;
beforeAll(async () => {
  vi.useFakeTimers({ now: START_MS + WINDOW_MS + 120_000, toFake: ["Date"] });
  server = await startServer({ evaluateAlertsEveryMs: 20 });
  client = server.client;
  await sendSpans(
    server,
    client,
    CALLS.flatMap((call, n) => spansOf(call, n + 1)),
  );
});
afterAll(async () => {
  await server.stop();
  vi.useRealTimers();
});

type Rule = Parameters<Client["alertRules"]["create"]>[0];
async function raised(rule: Pick<Rule, "name" | "watch" | "condition">) {
  const { alertRule } = await client.alertRules.create({ ...rule, windowMinutes: 15, minSamples: 1 });
  const alert = await until("the alert is raised", async () => {
    const { alerts } = await client.alerts.list({ alertRuleId: alertRule.id });
    return alerts[0];
  });
  const { conversations, ...others } = alert;
  const numbers = conversations.map(({ traceId }) => CALLS.findIndex((_, n) => traceIdOf(n + 1) === traceId));
  return { ...others, numbers, turns: conversations.map(({ turn }) => turn) };
}

test("a rule watches the share of conversations with an interruption, among those of which it is known", async () => {
  const watch = { kind: "occurrences", measure: "user_interruptions" } as const;
  const alert = await raised({ name: "interrupted", watch, condition: { is: "above", value: 0.1 } });
  expect(alert).toMatchObject({
    value: 0.4,
    samples: 5,
    unit: "ratio",
    what: "share of conversations in which the user interrupts the agent",
    numbers: [0, 1],
    turns: [1, 3],
  });
  const others = await raised({ name: "not interrupted", watch, condition: { is: "below", value: 0.5 } });
  expect(new Set(others.numbers)).toEqual(new Set([2, 3, 4]));
  expect(others.turns).toEqual([null, null, null]);
});

test("a rule watches the share of conversations with an unanswered turn", async () => {
  const watch = { kind: "occurrences", measure: "unanswered_turns" } as const;
  const alert = await raised({ name: "unanswered", watch, condition: { is: "above", value: 0.1 } });
  expect(alert).toMatchObject({
    value: 0.25,
    samples: 8,
    what: "share of conversations with an unanswered turn",
    numbers: [5, 3],
  });
  const { series } = await client.alertRules.preview({
    watch,
    condition: { is: "above", value: 0.1 },
    windowMinutes: 15,
    minSamples: 1,
    days: 1,
  });
  expect(series.flatMap(({ alerts }) => alerts)).toMatchObject([{ value: 0.25, samples: 8 }]);
});

test("a rule watches the share of conversations in which the agent interrupts the user", async () => {
  const own = await newProject(server);
  const starts = [1_500, 2_500, 3_000, 1_800, 2_100];
  await sendSpans(
    server,
    own,
    starts.flatMap((agentMs, n) => heardCall(n + 1, agentMs)),
  );
  const rule = {
    watch: { kind: "occurrences", measure: "agent_interruptions" },
    condition: { is: "above", value: 0.1 },
    windowMinutes: 15,
    minSamples: 1,
  } as const;
  await own.alertRules.create({ ...rule, name: "interrupts" });
  const alert = await until("the alert is raised", async () => (await own.alerts.list({})).alerts[0]);
  expect(alert).toMatchObject({
    value: 0.4,
    samples: 5,
    what: "share of conversations in which the agent interrupts the user",
  });
  expect(alert.conversations.map(({ traceId }) => traceId).toSorted()).toEqual([traceIdOf(1), traceIdOf(4)].toSorted());
});
