import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { traceIdOf } from "../support/ingest.ts";
import { attribute } from "../support/otlp.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";
import { until } from "../support/until.ts";
import { sendCalls, type VersionedCall } from "../support/versioned-calls.ts";

const HOUR_MS = 3_600_000;
const FROM_MS = Date.UTC(2026, 10, 16);
const DAY = { from: "2026-11-16T00:00:00.000Z", to: "2026-11-18T00:00:00.000Z", bucket: "day" } as const;

let server: SharedServer;
beforeAll(async () => {
  server = await shareServer();
  await sendCalls(server, server.client, CALLS);
});
afterAll(() => server.stop());

const at = (hour: number) => FROM_MS + hour * HOUR_MS;
const time = (hour: number) => new Date(at(hour)).toISOString();

const CALLS: VersionedCall[] = [
  { trace: 1, version: "41", startMs: at(1), latencyMs: [500, 600], tools: [false, true] },
  { trace: 2, version: "41", startMs: at(2), latencyMs: [700], fails: true },
  { trace: 3, version: "42", startMs: at(5), latencyMs: [900], tools: [true] },
  { trace: 4, version: null, startMs: at(0), latencyMs: [1_000] },
  { trace: 5, agent: "Taxi", version: "42", startMs: at(4), latencyMs: [2_000] },
  { trace: 6, version: "41", startMs: at(30), latencyMs: [800] },
];

const idsOf = async (filter: Parameters<SharedServer["client"]["traces"]["list"]>[0]) =>
  (await server.client.traces.list({ ...filter, sort: "startedAt" })).traces.map(
    ({ conversationId }) => conversationId,
  );
const calls = (...numbers: number[]) => numbers.map((number) => `call ${number}`);

describe("versions of agents", () => {
  test("a conversation has the version of its agent, in lists and by itself; unknown is null", async () => {
    const { traces } = await server.client.traces.list({ sort: "startedAt" });
    expect(traces.map(({ agentVersion }) => agentVersion)).toEqual([null, "41", "41", "42", "42", "41"]);
    expect(await server.client.traces.get({ traceId: traceIdOf(3) })).toMatchObject({ agentVersion: "42" });
    expect(await server.client.traces.get({ traceId: traceIdOf(4) })).toMatchObject({ agentVersion: null });
  });

  test("a list is filtered by one version, by several, and with an agent", async () => {
    expect(await idsOf({ agentVersion: "41" })).toEqual(calls(1, 2, 6));
    expect(await idsOf({ agentVersion: "42" })).toEqual(calls(5, 3));
    expect(await idsOf({ agentVersion: ["41", "42"], agent: "Hotel" })).toEqual(calls(1, 2, 3, 6));
    expect(await idsOf({ agentVersion: "43" })).toEqual([]);
    expect(await idsOf({ agentVersion: "41", status: "error" })).toEqual(calls(1, 2));
    const { total } = await server.client.traces.list({ agentVersion: "41", total: true, pageSize: 1 });
    expect(total).toBe(3);
  });

  test("a filter has at most 20 versions of 128 characters, each once", async () => {
    const refused = (agentVersion: string | string[]) =>
      expect(server.client.traces.list({ agentVersion })).rejects.toMatchObject({ status: 400 });
    await refused("x".repeat(129));
    await refused(Array.from({ length: 21 }, (_, index) => `${index}`));
    await refused(["41", "41"]);
  });

  test("metrics cover all versions, chosen versions, or one series for each version", async () => {
    const { metrics } = server.client;
    const samplesOf = async (query: object) =>
      (await metrics.get({ ...DAY, ...query, measure: "response_latency" })).series.map((series) => [
        series.agentName,
        series.agentVersion,
        series.period.samples,
        series.buckets.map(({ samples, mean }) => [samples, mean]),
      ]);
    expect(await samplesOf({ agent: "Hotel" })).toEqual([
      [
        "Hotel",
        undefined,
        6,
        [
          [5, 740],
          [1, 800],
        ],
      ],
    ]);
    expect(await samplesOf({ agentVersion: "41" })).toEqual([
      [
        "Hotel",
        undefined,
        4,
        [
          [3, 600],
          [1, 800],
        ],
      ],
    ]);
    expect(await samplesOf({ byVersion: true })).toEqual([
      [
        "Hotel",
        "41",
        4,
        [
          [3, 600],
          [1, 800],
        ],
      ],
      ["Hotel", "42", 1, [[1, 900]]],
      ["Hotel", null, 1, [[1, 1_000]]],
      ["Taxi", "42", 1, [[1, 2_000]]],
    ]);
    expect(await samplesOf({ byVersion: true, agentVersion: ["42"] })).toEqual([
      ["Hotel", "42", 1, [[1, 900]]],
      ["Taxi", "42", 1, [[1, 2_000]]],
    ]);
  });

  test.each(["hour", "day"] as const)(
    "conversations and tool calls are counted by version too, by the %s",
    async (bucket) => {
      const { metrics } = server.client;
      const counts = await metrics.conversations({ ...DAY, bucket, byVersion: true, agent: "Hotel" });
      expect(counts.series.map((one) => [one.agentVersion, one.conversations, one.errors])).toEqual([
        ["41", 3, 2],
        ["42", 1, 1],
        [null, 1, 0],
      ]);
      expect([counts.conversations, counts.errors]).toEqual([5, 3]);
      expect(await metrics.conversations({ ...DAY, bucket, agentVersion: "41" })).toMatchObject({
        conversations: 3,
        errors: 2,
      });
      expect((await metrics.conversations({ ...DAY, bucket, agent: "Hotel" })).series).toMatchObject([
        { conversations: 5 },
      ]);
      const tools = await metrics.tools({ ...DAY, bucket, byVersion: true });
      expect(tools.series.map((one) => [one.agentVersion, one.calls, one.errors])).toEqual([
        ["41", 2, 1],
        ["42", 1, 1],
      ]);
      expect((await metrics.tools({ ...DAY, bucket, agentVersion: "42" })).series).toMatchObject([
        { calls: 1, errors: 1 },
      ]);
      expect((await metrics.tools({ ...DAY, bucket })).series).toMatchObject([{ calls: 3, errors: 2 }]);
    },
  );

  test("the versions of agents have the times of their first and last conversation, the newest first", async () => {
    const hotel = [
      { agentName: "Hotel", version: "42", firstSeenAt: time(5), lastSeenAt: time(5) },
      { agentName: "Hotel", version: "41", firstSeenAt: time(1), lastSeenAt: time(30) },
    ];
    const taxi = { agentName: "Taxi", version: "42", firstSeenAt: time(4), lastSeenAt: time(4) };
    const { agentVersions } = server.client;
    expect(await agentVersions.list({})).toEqual({ agentVersions: [hotel[0], taxi, hotel[1]], isMore: false });
    expect(await agentVersions.list({ agent: "Hotel" })).toEqual({ agentVersions: hotel, isMore: false });
    expect(await agentVersions.list({ agent: ["Taxi", "Nobody"] })).toEqual({ agentVersions: [taxi], isMore: false });
  });
});

describe("the attribute of a project", () => {
  const attributes = [attribute("deployment.ring", "canary"), attribute("svc.agent_version", "7")];
  const call = (trace: number) => ({ trace, version: "41", startMs: at(trace), resource: attributes });

  test("the attribute of a project names the version of conversations that are derived from then on, and a remap derives the others again", async () => {
    const other = await shareServer();
    const { client, admin } = other;
    await sendCalls(other, client, [call(1)]);
    const versions = async () =>
      (await client.traces.list({ sort: "startedAt" })).traces.map(({ agentVersion }) => agentVersion);
    expect(await versions()).toEqual(["7"]);
    const [{ id: projectId, versionAttribute } = { id: "", versionAttribute: "" }] = (await admin.projects.list({}))
      .projects;
    expect(versionAttribute).toBe(null);
    const { project } = await admin.projects.edit({ projectId, versionAttribute: " deployment.ring " });
    expect(project.versionAttribute).toBe("deployment.ring");
    await sendCalls(other, client, [call(2)]);
    expect(await versions()).toEqual(["7", "canary"]);
    await client.traces.remap({ all: true });
    await until("the remap", async () => (await versions())[0] === "canary");
    expect((await client.agentVersions.list({})).agentVersions).toMatchObject([
      { version: "canary", firstSeenAt: time(1) },
    ]);
    await admin.projects.edit({ projectId, versionAttribute: null });
    await client.traces.remap({ all: true });
    await until("the remap", async () => (await versions()).every((version) => version === "7"));
    await other.stop();
  });
});

describe("a deleted conversation", () => {
  test("a deleted conversation takes the version of its agent with it", async () => {
    const other = await shareServer();
    const { client } = other;
    await sendCalls(other, client, [
      { trace: 1, version: "41", startMs: at(1) },
      { trace: 2, version: "42", startMs: at(2) },
    ]);
    await client.traces.delete({ traceId: traceIdOf(1) });
    expect((await client.agentVersions.list({})).agentVersions.map(({ version }) => version)).toEqual(["42"]);
    expect((await client.metrics.conversations({ ...DAY, byVersion: true })).series).toMatchObject([
      { agentVersion: "42" },
    ]);
    await other.stop();
  });
});
