import type { Client } from "@svc/sdk";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { START_MS, WINDOW_MS } from "../support/alert-windows.ts";
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
