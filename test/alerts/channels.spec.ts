import type { Channel } from "@svc/contract";
import type { Client } from "@svc/sdk";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { readCall } from "../../packages/server/src/monitoring/platform-a/call.ts";
import { callToSpans } from "../../packages/server/src/monitoring/platform-a/to-spans.ts";
import { setClock, START_MS, WINDOW_MS } from "../support/alert-windows.ts";
import { type ChannelCall, sendChannelCalls } from "../support/channel-calls.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { freshName } from "../support/world.ts";

let server: TestServer;
let client: Client;
beforeAll(async () => {
  setClock(20);
  server = await startServer({ evaluateAlertsEveryMs: 20, productionPace: { everyMs: 50 } });
  const { project } = await server.admin.projects.create({ name: freshName("project") });
  client = server.clientOf((await server.admin.keys.create({ project_id: project.id })).secret);
  await client.graders.create({
    name: "No guarantee",
    definition: { kind: "check", check: 'never says "guarantee"' },
    scope: "production",
    productionSampleRate: 1,
  });
  await sendChannelCalls(server, client, [
    ...calls("telephone", 4, { latencyMs: [3_000], fails: true, tools: [true], says: "I guarantee it." }),
    ...calls("room", 6, { latencyMs: [100], tools: [false] }),
    ...calls(null, 7, { latencyMs: [200], tools: [false] }),
    ...calls("text", 1),
  ]);
  await sendRetellCalls(["phone_call", "voicemail_reached", 3], ["web_call", "user_hangup", 5]);
  await until("all are graded", async () => {
    const { traces } = await client.traces.list({ agent: "Hotel", pageSize: 50 });
    return traces.length === 18 && traces.every(({ verdicts }) => verdicts !== null);
  });
});
afterAll(async () => {
  await server.stop();
  vi.useRealTimers();
});

let trace = 0;
/** Returns calls in the second window of the spec. */
const calls = (channel: Channel | null, count: number, more: Partial<ChannelCall> = {}): ChannelCall[] =>
  Array.from({ length: count }, (_, n) => ({
    trace: ++trace,
    channel,
    startMs: START_MS + WINDOW_MS + n * 1_000,
    ...more,
  }));

async function sendRetellCalls(...kinds: [call_type: string, disconnection_reason: string, count: number][]) {
  for (const [call_type, disconnection_reason, count] of kinds)
    for (let n = 0; n < count; n++) {
      const call = readCall({
        call_id: `${call_type} ${n}`,
        agent_id: "Desk",
        agent_name: "Desk",
        call_status: "ended",
        start_timestamp: START_MS + WINDOW_MS + n * 1_000,
        end_timestamp: START_MS + WINDOW_MS + n * 1_000 + 500,
        call_type,
        disconnection_reason,
      })!;
      const body = Buffer.from(JSON.stringify(callToSpans(call)));
      await client.traces.ingest({ body, contentType: "application/json" });
    }
  await server.conversationsRead();
}

type Rule = Parameters<Client["alertRules"]["preview"]>[0];
const ruleOf = (watch: Rule["watch"], value: number, agent = "Hotel"): Rule => ({
  watch,
  agents: [agent],
  windowMinutes: 15,
  minSamples: 1,
  condition: { is: "above", value },
});

/** The values of the window and their samples: of all conversations, over the telephone, in rooms, and typed. */
const KINDS: [string, Rule, Record<"all" | "telephone" | "room" | "text", [number | null, number]>][] = [
  [
    "a measure",
    ruleOf({ kind: "measure", measure: "response_latency", statistic: "mean" }, 2_000),
    { all: [(4 * 3_000 + 6 * 100 + 7 * 200) / 17, 17], telephone: [3_000, 4], room: [100, 6], text: [null, 0] },
  ],
  ["errors", ruleOf({ kind: "errors" }, 0.5), { all: [4 / 18, 18], telephone: [1, 4], room: [0, 6], text: [0, 1] }],
  [
    "failed tool calls",
    ruleOf({ kind: "tool_errors", tool: null }, 0.5),
    { all: [4 / 17, 17], telephone: [1, 4], room: [0, 6], text: [null, 0] },
  ],
  [
    "the failures of a grader",
    ruleOf({ kind: "grader_failures", grader: null }, 0.5),
    { all: [4 / 18, 18], telephone: [1, 4], room: [0, 6], text: [0, 1] },
  ],
  [
    "an ending",
    ruleOf({ kind: "endings", ending: "voicemail_reached" }, 0.5, "Desk"),
    { all: [3 / 8, 8], telephone: [1, 3], room: [0, 5], text: [null, 0] },
  ],
  [
    "the number of conversations",
    { ...ruleOf({ kind: "conversations" }, 5), condition: { is: "below", value: 5 } },
    { all: [18, 18], telephone: [4, 4], room: [6, 6], text: [1, 1] },
  ],
];

const windowOf = async (rule: Rule) => {
  const { series } = await client.alertRules.preview({ ...rule, days: 1 });
  const at = new Date(START_MS + WINDOW_MS).toISOString();
  const window = series.flatMap(({ windows }) => windows).find(({ startedAt }) => startedAt === at);
  return [window?.value ?? null, window?.samples ?? 0];
};

test.each(KINDS)(
  "a rule of a channel watches %s of its conversations alone, and none of an unknown channel",
  async (_what, rule, of) => {
    setClock(32);
    const close = ([value, samples]: [number | null, number]) => [
      value === null ? null : expect.closeTo(value, 3),
      samples,
    ];
    expect(await windowOf(rule)).toEqual(close(of.all));
    for (const channel of ["telephone", "room", "text"] as const)
      expect([channel, await windowOf({ ...rule, channels: [channel] })]).toEqual([channel, close(of[channel])]);
    const both = await windowOf({ ...rule, channels: ["room", "telephone"] });
    expect(both[1]).toBe(of.room[1] + of.telephone[1]);
  },
);

test.each(KINDS.slice(0, -1))(
  "a rule of the telephone about %s is raised by telephone calls, as its preview says; one of rooms is not",
  async (_what, rule) => {
    setClock(32);
    const create = async (channels: Channel[]) =>
      (await client.alertRules.create({ ...rule, name: freshName("rule"), channels })).alertRule;
    const rules = [await create(["telephone"]), await create(["room"]), await create([])];
    expect(rules.map(({ channels }) => channels)).toEqual([["telephone"], ["room"], []]);
    const judged = new Date(START_MS + 2 * WINDOW_MS).toISOString();
    for (const { id: alertRuleId, channels } of rules) {
      await until("the rule is judged", async () => {
        const { alertRule } = await client.alertRules.get({ alertRuleId });
        return alertRule.evaluatedTo === judged;
      });
      const raised = (await client.alerts.list({ alertRuleId })).alerts;
      const { series } = await client.alertRules.preview({ ...rule, channels, days: 1 });
      const previewed = series.flatMap(({ alerts }) => alerts);
      expect(
        raised.map(({ raisedAt, clearedAt, value, samples }) => ({ raisedAt, clearedAt, value, samples })),
      ).toEqual(previewed);
      expect(raised).toHaveLength(channels[0] === "telephone" ? 1 : 0);
    }
  },
);

test("the conversations that an alert brings into the review queue are of its channel", async () => {
  setClock(32);
  await client.review.configure({ enabled: true, randomShare: 0, sources: ["alert"] });
  const slow = ruleOf({ kind: "measure", measure: "response_latency", statistic: "mean" }, 50);
  await client.alertRules.create({ ...slow, name: "Rooms are slow", channels: ["room"] });
  const failing = ruleOf({ kind: "grader_failures", grader: null }, 0.1);
  await client.alertRules.create({ ...failing, name: "Graders fail calls", channels: ["telephone"] });
  const items = await until("both alerts are looked at", async () => {
    const { items: found } = await client.review.list({ reason: "alert", pageSize: 50 });
    return found.length === 9 && found;
  });
  const channels = await Promise.all(
    items.map(async ({ traceId }) => (await client.traces.get({ traceId: traceId! })).channel),
  );
  const countOf = (wanted: Channel) => channels.filter((channel) => channel === wanted).length;
  expect([countOf("room"), countOf("telephone")]).toEqual([5, 4]);
});

test("a rule changes its channels and starts anew; an unknown channel is refused with those that there are", async () => {
  setClock(32);
  const rule = ruleOf({ kind: "errors" }, 0.5);
  const { alertRule } = await client.alertRules.create({ ...rule, name: freshName("rule"), channels: ["telephone"] });
  const { id: alertRuleId } = alertRule;
  await until("the alert is raised", async () => (await client.alerts.list({ alertRuleId })).alerts.length === 1);
  const edited = await client.alertRules.edit({ alertRuleId, channels: ["room", "text"] });
  expect(edited.alertRule).toMatchObject({ channels: ["room", "text"], openAlerts: 0 });
  for (const channels of [["phone"], ["telephone", "telephone"]] as unknown as Channel[][])
    await expect(client.alertRules.edit({ alertRuleId, channels })).rejects.toMatchObject({ status: 422 });
  await expect(client.alertRules.preview({ ...rule, channels: ["phone" as Channel] })).rejects.toMatchObject({
    status: 422,
    details: { issues: [{ path: "channels.0", message: "One of telephone, room, text." }] },
  });
});
