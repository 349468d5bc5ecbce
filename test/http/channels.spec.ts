import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ChannelCall, sendChannelCalls } from "../support/channel-calls.ts";
import { traceIdOf } from "../support/ingest.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";

const HOUR_MS = 3_600_000;
const FROM_MS = Date.UTC(2026, 10, 16);
const DAY = { from: "2026-11-16T00:00:00.000Z", to: "2026-11-18T00:00:00.000Z", bucket: "day" } as const;
const at = (hour: number) => FROM_MS + hour * HOUR_MS;

let server: SharedServer;
beforeAll(async () => {
  server = await shareServer();
  await sendChannelCalls(server, server.client, CALLS);
});
afterAll(() => server.stop());

const CALLS: ChannelCall[] = [
  { trace: 1, channel: "telephone", startMs: at(1), latencyMs: [500, 600], tools: [false, true] },
  { trace: 2, channel: "telephone", startMs: at(2), latencyMs: [700], fails: true },
  { trace: 3, channel: "room", startMs: at(3), latencyMs: [900], tools: [true] },
  { trace: 4, channel: null, startMs: at(4), latencyMs: [1_000], tools: [true] },
  { trace: 5, channel: "text", startMs: at(5) },
  { trace: 6, channel: "room", agent: "Taxi", startMs: at(30), latencyMs: [2_000] },
];

const idsOf = async (filter: Parameters<SharedServer["client"]["traces"]["list"]>[0]) =>
  (await server.client.traces.list({ ...filter, sort: "startedAt" })).traces.map(
    ({ conversationId }) => conversationId,
  );
const calls = (...numbers: number[]) => numbers.map((number) => `call ${number}`);

describe("channels of conversations", () => {
  test("a conversation has its channel, in lists and by itself; unknown is null", async () => {
    const { traces } = await server.client.traces.list({ sort: "startedAt" });
    expect(traces.map(({ channel }) => channel)).toEqual(["telephone", "telephone", "room", null, "text", "room"]);
    expect(await server.client.traces.get({ traceId: traceIdOf(3) })).toMatchObject({ channel: "room" });
    expect(await server.client.traces.get({ traceId: traceIdOf(4) })).toMatchObject({ channel: null });
  });

  test("a list is filtered by one channel, by several, and with an agent; a conversation of an unknown channel is in none", async () => {
    expect(await idsOf({ channel: "telephone" })).toEqual(calls(1, 2));
    expect(await idsOf({ channel: "text" })).toEqual(calls(5));
    expect(await idsOf({ channel: ["telephone", "room", "text"] })).toEqual(calls(1, 2, 3, 5, 6));
    expect(await idsOf({ channel: ["room", "text"], agent: "Hotel" })).toEqual(calls(3, 5));
    expect(await idsOf({ channel: "telephone", status: "error", search: "room" })).toEqual(calls(1, 2));
    const { total } = await server.client.traces.list({ channel: "room", total: true, pageSize: 1 });
    expect(total).toBe(2);
  });

  test("an unknown channel is refused with the list of known channels", async () => {
    for (const channel of ["phone", ["telephone", "phone"], "unknown", ""]) {
      const query = { channel: channel as "room" };
      for (const asked of [
        server.client.traces.list(query),
        server.client.metrics.get(query),
        server.client.metrics.conversations(query),
        server.client.metrics.tools(query),
      ])
        await expect(asked).rejects.toMatchObject({
          status: 400,
          details: { issues: [{ path: "channel", message: "One of telephone, room, text." }] },
        });
    }
    await expect(server.client.traces.list({ channel: ["room", "room"] })).rejects.toMatchObject({ status: 400 });
  });

  test("metrics are those of all conversations, or of chosen channels", async () => {
    const samplesOf = async (query: object) =>
      (await server.client.metrics.get({ ...DAY, ...query, measure: "response_latency" })).series.map((series) => [
        series.agentName,
        series.period.samples,
        series.period.mean,
      ]);
    expect(await samplesOf({ agent: "Hotel" })).toEqual([["Hotel", 5, 740]]);
    expect(await samplesOf({ channel: "telephone" })).toEqual([["Hotel", 3, 600]]);
    expect(await samplesOf({ channel: ["telephone", "room"] })).toEqual([
      ["Hotel", 4, 675],
      ["Taxi", 1, 2_000],
    ]);
    expect(await samplesOf({ channel: "text" })).toEqual([]);
    const split = async (query: object) =>
      (await server.client.metrics.get({ ...DAY, byChannel: true, ...query, measure: "response_latency" })).series.map(
        (series) => [series.agentName, series.channel, series.period.samples, series.period.mean],
      );
    expect(await split({})).toEqual([
      ["Hotel", "room", 1, 900],
      ["Hotel", "telephone", 3, 600],
      ["Hotel", null, 1, 1_000],
      ["Taxi", "room", 1, 2_000],
    ]);
    expect(await split({ channel: "telephone", byVersion: true })).toEqual([["Hotel", "telephone", 3, 600]]);
  });

  test.each(["hour", "day"] as const)(
    "conversations and tool calls are counted by channel, by the %s",
    async (bucket) => {
      const { metrics } = server.client;
      const counted = async (query: object) => {
        const { conversations, errors } = await metrics.conversations({ ...DAY, bucket, ...query });
        return [conversations, errors];
      };
      expect(await counted({})).toEqual([6, 4]);
      expect(await counted({ channel: "telephone" })).toEqual([2, 2]);
      expect(await counted({ channel: ["room", "text"] })).toEqual([3, 1]);
      expect(await counted({ channel: "text", agent: "Taxi" })).toEqual([0, 0]);
      const toolsOf = async (query: object) =>
        (await metrics.tools({ ...DAY, bucket, ...query })).series.map((one) => [one.calls, one.errors]);
      expect(await toolsOf({})).toEqual([[4, 3]]);
      expect(await toolsOf({ channel: "telephone" })).toEqual([[2, 1]]);
      expect(await toolsOf({ channel: ["room"] })).toEqual([[1, 1]]);
      expect(await toolsOf({ channel: ["text"] })).toEqual([]);
      const counts = await metrics.conversations({ ...DAY, bucket, byChannel: true, agent: "Hotel" });
      expect(counts.series.map((one) => [one.channel, one.conversations, one.errors])).toEqual([
        ["room", 1, 1],
        ["telephone", 2, 2],
        ["text", 1, 0],
        [null, 1, 1],
      ]);
      const tools = await metrics.tools({ ...DAY, bucket, byChannel: true });
      expect(tools.series.map((one) => [one.channel, one.calls, one.errors])).toEqual([
        ["room", 1, 1],
        ["telephone", 2, 1],
        [null, 1, 1],
      ]);
    },
  );

  test("a deleted conversation leaves its channel, in the list and in the metrics", async () => {
    const other = await shareServer();
    const { client } = other;
    const call = { trace: 1, startMs: at(1), latencyMs: [500] };
    await sendChannelCalls(other, client, [{ ...call, channel: "room" }]);
    expect((await client.traces.list({ channel: "room" })).traces).toHaveLength(1);
    await sendChannelCalls(other, client, [{ ...call, trace: 2, channel: "telephone" }]);
    await client.traces.delete({ traceId: traceIdOf(1) });
    expect((await client.traces.list({ channel: "room" })).traces).toEqual([]);
    expect(await client.metrics.conversations({ ...DAY, channel: "room" })).toMatchObject({ conversations: 0 });
    expect((await client.metrics.get({ ...DAY, channel: "room" })).series).toEqual([]);
    expect(await client.metrics.conversations({ ...DAY, channel: "telephone" })).toMatchObject({ conversations: 1 });
    await other.stop();
  });
});
