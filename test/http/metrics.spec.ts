import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sendSpans } from "../support/production.ts";
import { spanOf } from "../support/ingest.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";

const HOUR_MS = 3_600_000;
const FROM_MS = Date.UTC(2026, 10, 16);
const DAY = { from: "2026-11-16T00:00:00.000Z", to: "2026-11-18T00:00:00.000Z", bucket: "day" } as const;

let server: SharedServer;
beforeAll(async () => {
  server = await shareServer();
});
afterAll(() => server.stop());

const text = (key: string, value: string) => ({ key, value: { stringValue: value } });
let trace = 0;

type Call = { agent?: string; tools?: { name?: string; isError?: boolean }[]; fails?: boolean; hour: number };

/** Returns the spans of one conversation: its session, and a span for each tool call. */
function callOf({ agent, tools = [], fails = false, hour }: Call) {
  trace++;
  const startNs = `${FROM_MS + hour * HOUR_MS}000000`;
  const common = { startTimeUnixNano: startNs, endTimeUnixNano: `${FROM_MS + hour * HOUR_MS + 50}000000` };
  const named = agent === undefined ? [] : [text("gen_ai.agent.name", agent)];
  const job = text("lk.job_id", `job ${trace}`);
  return [
    spanOf(trace, 0, {
      ...common,
      name: "job_entrypoint",
      attributes: [job, ...named],
      ...(fails && { status: { code: 2 } }),
    }),
    ...tools.map(({ name, isError }, at) =>
      spanOf(trace, at + 1, {
        ...common,
        name: "function_tool",
        attributes: [
          job,
          ...(name === undefined ? [] : [text("lk.function_tool.name", name)]),
          ...(isError === undefined ? [] : [{ key: "lk.function_tool.is_error", value: { boolValue: isError } }]),
        ],
      }),
    ),
  ];
}

const send = async (calls: Call[]) => sendSpans(server, server.client, calls.flatMap(callOf));

describe("metrics", () => {
  beforeAll(() =>
    send([
      {
        agent: "Ada",
        hour: 1,
        tools: [
          { name: "book", isError: false },
          { name: "book", isError: true },
        ],
      },
      { agent: "Ada", hour: 2, fails: true, tools: [{ name: "look" }] },
      { agent: "Ada", hour: 30, tools: [{ name: "book", isError: true }] },
      { agent: "Bob", hour: 3, tools: [{ name: "book", isError: false }] },
      { hour: 4 },
      { agent: "Ada", hour: 48 },
    ]),
  );

  test("conversations are counted in all, per agent and per bucket, with those that have a failed span or tool call", async () => {
    const counts = await server.client.metrics.conversations(DAY);
    const monday = "2026-11-16T00:00:00.000Z";
    const series = { source: "production" };
    expect(counts).toEqual({
      ...DAY,
      zone: "UTC",
      conversations: 5,
      errors: 3,
      series: [
        {
          ...series,
          agentName: "Ada",
          conversations: 3,
          errors: 3,
          buckets: [
            { startedAt: monday, conversations: 2, errors: 2 },
            { startedAt: "2026-11-17T00:00:00.000Z", conversations: 1, errors: 1 },
          ],
        },
        {
          ...series,
          agentName: "Bob",
          conversations: 1,
          errors: 0,
          buckets: [{ startedAt: monday, conversations: 1, errors: 0 }],
        },
        {
          ...series,
          agentName: null,
          conversations: 1,
          errors: 0,
          buckets: [{ startedAt: monday, conversations: 1, errors: 0 }],
        },
      ],
    });
    const hours = await server.client.metrics.conversations({ ...DAY, bucket: "hour", agent: "Ada" });
    expect(hours.series[0]!.buckets.map(({ startedAt }) => startedAt.slice(8, 13))).toEqual([
      "16T01",
      "16T02",
      "17T06",
    ]);
  });

  test("tool calls are counted per agent and tool with those that failed and those of unknown outcome, most used first", async () => {
    const { series } = await server.client.metrics.tools(DAY);
    const rows = series.map(({ agentName, tool, calls, errors, unknown, buckets }) => [
      agentName,
      tool,
      [calls, errors, unknown],
      buckets.map((bucket) => [bucket.startedAt.slice(8, 10), bucket.calls, bucket.errors, bucket.unknown]),
    ]);
    expect(rows).toEqual([
      [
        "Ada",
        "book",
        [3, 2, 0],
        [
          ["16", 2, 1, 0],
          ["17", 1, 1, 0],
        ],
      ],
      ["Ada", "look", [1, 0, 1], [["16", 1, 0, 1]]],
      ["Bob", "book", [1, 0, 0], [["16", 1, 0, 0]]],
    ]);
  });

  test("a repeated agent parameter selects several agents in every operation of metrics", async () => {
    const agent = ["Ada", "Bob"];
    const measures = await server.client.metrics.get({ ...DAY, measure: "tool_latency", agent });
    const conversations = await server.client.metrics.conversations({ ...DAY, agent });
    const tools = await server.client.metrics.tools({ ...DAY, agent: ["Bob"] });
    const named = (series: { agentName: string | null }[]) => [...new Set(series.map(({ agentName }) => agentName))];
    expect([measures.series, conversations.series, tools.series].map(named)).toEqual([agent, agent, ["Bob"]]);
    expect(conversations.conversations).toBe(4);
  });

  test("a series pools the samples of the whole period, not the percentiles of its buckets", async () => {
    const { series } = await server.client.metrics.get({ ...DAY, measure: "tool_latency", agent: "Ada" });
    expect(series).toMatchObject([
      {
        period: { samples: 4, p50: null, p95: null, mean: 50, provenances: ["measured"] },
        buckets: [{ samples: 3 }, { samples: 1 }],
      },
    ]);
    await send(Array.from({ length: 20 }, (_, hour) => ({ agent: "Cas", hour, tools: [{ name: "look" }] })));
    const cas = await server.client.metrics.get({ ...DAY, bucket: "hour", measure: "tool_latency", agent: "Cas" });
    expect(cas.series[0]).toMatchObject({ period: { samples: 20, p50: 50, p95: 50 } });
    expect(cas.series[0]!.buckets.every(({ p50 }) => p50 === null)).toBe(true);
  });

  test("days start at midnight of the zone of the request, even when its offset changes", async () => {
    const zone = "America/New_York";
    const days = { ...DAY, agent: "Ada", zone };
    const counts = await server.client.metrics.conversations(days);
    expect([counts.zone, counts.from]).toEqual([zone, "2026-11-15T05:00:00.000Z"]);
    expect(counts.series[0]!.buckets).toMatchObject([
      { startedAt: "2026-11-15T05:00:00.000Z", conversations: 2 },
      { startedAt: "2026-11-17T05:00:00.000Z", conversations: 1 },
    ]);
    const { series } = await server.client.metrics.get({ ...days, measure: "tool_latency" });
    expect(series[0]!.buckets.map(({ startedAt }) => startedAt.slice(0, 13))).toEqual([
      "2026-11-15T05",
      "2026-11-17T05",
    ]);
    const october = { bucket: "day", zone, from: "2026-10-31T12:00:00Z", to: "2026-11-03T00:00:00Z" } as const;
    await send([
      { agent: "Dan", hour: -15 * 24 - 4 + 0.5 }, // 2026-10-31T20:30Z
      { agent: "Dan", hour: -15 * 24 + 4.5 }, // 2026-11-01T04:30Z, half past midnight in summer time
      { agent: "Dan", hour: -14 * 24 + 4.5 }, // 2026-11-02T04:30Z, half past eleven in winter time
      { agent: "Dan", hour: -14 * 24 + 5.5 },
    ]);
    const dan = await server.client.metrics.conversations({ ...october, agent: "Dan" });
    expect(dan.series[0]!.buckets).toMatchObject([
      { startedAt: "2026-10-31T04:00:00.000Z", conversations: 1 },
      { startedAt: "2026-11-01T04:00:00.000Z", conversations: 2 },
      { startedAt: "2026-11-02T05:00:00.000Z", conversations: 1 },
    ]);
  });

  test("conversations and tool calls of another project are not counted", async () => {
    const { project } = await server.admin.projects.create({ name: "Other" });
    const counts = await server.admin.metrics.conversations({ ...DAY, projectId: project.id });
    expect(counts).toEqual({ ...DAY, zone: "UTC", conversations: 0, errors: 0, series: [] });
    expect(await server.admin.metrics.tools({ ...DAY, projectId: project.id })).toEqual({
      ...DAY,
      zone: "UTC",
      series: [],
    });
  });
});
