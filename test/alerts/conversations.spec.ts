import { textOfEvent } from "@svc/contract";
import type { Client } from "@svc/sdk";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { mailOf, slackMessage } from "../../packages/server/src/notifications/messages.ts";
import { newProject, setClock, START_MS, WINDOW_MS } from "../support/alert-windows.ts";
import { spanOf, traceIdOf } from "../support/ingest.ts";
import { attribute, type OtlpSpan } from "../support/otlp.ts";
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

let last = 0;
/** Returns the numbers of this many new calls. */
const numbers = (count: number) => Array.from({ length: count }, () => ++last);
const ids = (calls: readonly number[]) => calls.map(traceIdOf);

const call = (trace: number, latencyMs: number, more: { startMs?: number; fails?: boolean; said?: string } = {}) =>
  answeredCall(trace, { agent: "Hotel", startMs: START_MS + WINDOW_MS + trace, latencyMs, ...more });

/** Returns a call whose second turn calls tools. The value is whether the tool fails. */
const callWithTools = (trace: number, tools: Record<string, boolean>): OtlpSpan[] => [
  ...call(trace, 500),
  ...Object.entries(tools).map(([tool, fails], at) =>
    spanOf(trace, 10 + at, {
      name: "function_tool",
      parentSpanId: call(trace, 500)[2]!.spanId!,
      startTimeUnixNano: `${START_MS + WINDOW_MS + trace + 200 + at}000000`,
      endTimeUnixNano: `${START_MS + WINDOW_MS + trace + 210 + at}000000`,
      attributes: [
        attribute("lk.job_id", `call ${trace}`),
        attribute("lk.function_tool.name", tool),
        attribute("lk.function_tool.is_error", fails),
      ],
    }),
  ),
];

type Rule = Parameters<Client["alertRules"]["create"]>[0];
const SLOW = {
  watch: { kind: "measure", measure: "response_latency", statistic: "p95" },
  condition: { is: "above", value: 2_000 },
} as const;
const create = (client: Client, rule: Partial<Rule> & Pick<Rule, "watch" | "condition">) =>
  client.alertRules.create({ name: freshName("rule"), windowMinutes: 15, minSamples: 1, ...rule });

const raisedBy = (client: Client, { alertRule }: Awaited<ReturnType<typeof create>>) =>
  until("the alert is raised", async () => {
    const { alerts } = await client.alerts.list({ alertRuleId: alertRule.id });
    return alerts.at(-1);
  });

/** Returns the ids of all conversations that raised the alert, from the list of conversations. */
const listed = async (client: Client, alertId: string) =>
  (await client.traces.list({ alertId, pageSize: 200 })).traces.map(({ traceId }) => traceId).toSorted();

describe("the conversations of an alert", () => {
  test("the conversations of an alert about a measure are those with a sample beyond the limit in its window, worst first, each with its turn and a link", async () => {
    const client = await newProject(server);
    const receiver = await startReceiver();
    await client.destinations.create({
      name: "pager",
      kind: "webhook",
      url: receiver.url,
      eventTypes: ["alert.raised"],
    });
    const [fast, slow, [worst, begunBefore, after]] = [numbers(20), numbers(14), numbers(3)];
    await sendSpans(server, client, [
      ...fast.flatMap((trace) => call(trace, 500)),
      ...slow.flatMap((trace) => call(trace, 3_000)),
      ...call(worst!, 9_000),
      // This call began before the window, and its answer came in the window.
      ...call(begunBefore!, 4_000, { startMs: START_MS + WINDOW_MS - 95 }),
      ...call(after!, 8_000, { startMs: START_MS + 2 * WINDOW_MS + 5 }),
    ]);
    const made = await create(client, SLOW);
    setClock(2 * 15 + 2);
    const alert = await raisedBy(client, made);
    const project = (await server.admin.projects.list()).projects.find(({ id }) => id === alert.projectId)!;
    const { organization } = await server.admin.organization.get();
    expect(alert.conversations).toHaveLength(10);
    expect(alert.conversations.slice(0, 3)).toEqual([
      { traceId: traceIdOf(worst!), turn: 1, value: 9_000, link: expect.any(String) },
      { traceId: traceIdOf(begunBefore!), turn: 1, value: 4_000, link: expect.any(String) },
      { traceId: expect.any(String), turn: 1, value: 3_000, link: expect.any(String) },
    ]);
    expect(new URL(alert.conversations[0]!.link).pathname).toBe(
      `/o/${organization.id}/p/${project.slug}/conversations/${traceIdOf(worst!)}`,
    );
    expect(new URL(alert.conversations[0]!.link).search).toBe("?turn=1");
    expect(await listed(client, alert.id)).toEqual(ids([...slow, worst!, begunBefore!]).toSorted());
    expect((await client.traces.list({ alertId: alert.id, search: "room", total: true })).total).toBe(16);
    expect((await client.alerts.get({ alertId: alert.id })).alert.conversations).toEqual(alert.conversations);

    await until("the event has arrived", () => receiver.received.length === 1);
    expect(receiver.received[0]!.event).toMatchObject({ data: { alert: { conversations: alert.conversations } } });
    receiver.stop();

    const other = await newProject(server);
    expect(await listed(other, alert.id)).toEqual([]);

    await client.traces.delete({ traceId: traceIdOf(worst!) });
    const left = (await client.alerts.get({ alertId: alert.id })).alert;
    expect(left.conversations).toHaveLength(10);
    expect(left.conversations[0]!.traceId).toBe(traceIdOf(begunBefore!));
    expect(left.value).toBe(alert.value);
    const { events } = await client.events.list({ type: "alert.raised" });
    expect(JSON.stringify(events)).toContain(traceIdOf(begunBefore!));
    expect(JSON.stringify(events)).not.toContain(traceIdOf(worst!));

    const [event] = events;
    const { link, turn } = left.conversations[0]!;
    const { links } = textOfEvent(event!);
    expect(links).toHaveLength(3);
    const { words, href } = links![0]!;
    expect([words, href]).toEqual([expect.stringMatching(`^[\\d.]+ s, turn ${turn! + 1}$`), link]);
    expect(JSON.stringify(slackMessage(event!))).toContain(`<${href}|${words}>`);
    expect(mailOf([event!]).text).toContain(`\n${words}: ${href}\n`);
  });

  test("the conversations of an alert about a tool are those with a failed call of it", async () => {
    const client = await newProject(server);
    const [failed, works, otherFails, twice] = [numbers(3), numbers(4), numbers(2), numbers(1)];
    await sendSpans(server, client, [
      ...failed.flatMap((trace) => callWithTools(trace, { book: true })),
      ...works.flatMap((trace) => callWithTools(trace, { book: false })),
      ...otherFails.flatMap((trace) => callWithTools(trace, { book: false, look: true })),
      ...twice.flatMap((trace) => callWithTools(trace, { book: true, look: true })),
    ]);
    const condition = { is: "above", value: 0.1 } as const;
    const [ofBook, ofAll] = [
      await create(client, { watch: { kind: "tool_errors", tool: "book" }, condition }),
      await create(client, { watch: { kind: "tool_errors", tool: null }, condition }),
    ];
    setClock(2 * 15 + 2);
    const book = await raisedBy(client, ofBook);
    expect(book).toMatchObject({ value: 0.4, samples: 10 });
    expect(await listed(client, book.id)).toEqual(ids([...failed, ...twice]).toSorted());
    expect(book.conversations.map(({ turn, value }) => `${turn} ${value}`)).toEqual(Array(4).fill("1 null"));
    const all = await raisedBy(client, ofAll);
    expect(all.conversations[0]!.traceId).toBe(traceIdOf(twice[0]!));
    expect(await listed(client, all.id)).toEqual(ids([...failed, ...otherFails, ...twice]).toSorted());
  });

  test("the conversations of an alert about a grader are those that this grader failed in the window, whenever they began", async () => {
    const client = await newProject(server);
    for (const [name, check] of [
      ["No guarantee", 'never says "guarantee"'],
      ["No yes", 'never says "yes"'],
    ] as const)
      await client.graders.create({ name, definition: { kind: "check", check }, scope: "production" });
    setClock(20);
    const said = ["I guarantee it.", "Yes.", "Perhaps."];
    const calls = numbers(9);
    await sendSpans(
      server,
      client,
      // All began in the window before the one in which they are graded.
      calls.flatMap((trace, n) => call(trace, 500, { startMs: START_MS + n * 1_000, said: said[n % 3]! })),
    );
    await until("every conversation is graded", async () => {
      const { traces } = await client.traces.list({ pageSize: 50 });
      return traces.length === 9 && traces.every(({ verdicts }) => verdicts !== null);
    });
    const made = await create(client, {
      watch: { kind: "grader_failures", grader: "No guarantee" },
      condition: { is: "above", value: 0.2 },
    });
    setClock(2 * 15 + 2);
    const alert = await raisedBy(client, made);
    expect(alert).toMatchObject({ samples: 9 });
    expect(await listed(client, alert.id)).toEqual(ids(calls.filter((_, n) => n % 3 === 0)).toSorted());
    expect(alert.conversations.map(({ turn }) => turn)).toEqual([1, 1, 1]);
  });

  test("the conversations of an alert about errors are those with an error; about too few errors, the others; about their number, all", async () => {
    const client = await newProject(server);
    const [failed, good] = [numbers(4), numbers(6)];
    await sendSpans(server, client, [
      ...failed.flatMap((trace) => call(trace, 500, { fails: true })),
      ...good.flatMap((trace) => call(trace, 500)),
    ]);
    const errors = { kind: "errors" } as const;
    const rules = {
      errors: await create(client, { watch: errors, condition: { is: "above", value: 0.2 } }),
      others: await create(client, { watch: errors, condition: { is: "below", value: 0.5 } }),
      number: await create(client, { watch: { kind: "conversations" }, condition: { is: "above", value: 5 } }),
      none: await create(client, { watch: { kind: "conversations" }, condition: { is: "below", value: 5 } }),
    };
    setClock(2 * 15 + 2);
    const found = async (name: keyof typeof rules) => listed(client, (await raisedBy(client, rules[name])).id);
    expect(await found("errors")).toEqual(ids(failed).toSorted());
    expect(await found("others")).toEqual(ids(good).toSorted());
    expect(await found("number")).toEqual(ids([...failed, ...good]).toSorted());
    setClock(3 * 15 + 2);
    const empty = await until("the alert of an empty window", async () =>
      (await client.alerts.list({ alertRuleId: rules.none.alertRule.id })).alerts.find(({ samples }) => samples === 0),
    );
    expect(empty.conversations).toEqual([]);
  });
});
