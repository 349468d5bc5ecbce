import { type Client, type OtlpBody, SvcError } from "@svc/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordedCounts, requestsOf, splitRequestsOf } from "./support/captures.ts";
import { drawsOfCases } from "./support/long-form.ts";
import { startServer, type TestServer } from "./support/server.ts";
import { until } from "./support/until.ts";
import { keySettings } from "./support/secret.ts";

const casesOf = drawsOfCases();

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

/** Returns the items in an order that differs from the recorded order but is the same in every run. */
const shuffled = <T>(items: T[]): T[] =>
  items
    .map((item, index) => ({ item, at: (index * 7919) % 104_729 }))
    .sort((a, b) => b.at - a.at)
    .map(({ item }) => item);

async function newProject(name: string): Promise<Client> {
  const { project } = await server.admin.projects.create({ name });
  const { secret } = await server.admin.keys.create({ project_id: project.id });
  return server.clientOf(secret);
}

/**
 * Sends all requests, waits until the service has read every span, and returns the conversations without the values that depend on
 * the clock.
 */
async function storedAfter(client: Client, requests: OtlpBody[], spans: number) {
  for (const request of requests) expect(await client.traces.ingest(request)).toEqual({});
  const traces = await until(`${spans} spans in the list`, async () => {
    const { traces } = await client.traces.list({ sort: "startedAt" });
    const counted = traces.reduce((sum, trace) => sum + trace.spanCount, 0);
    return counted === spans && traces.every((trace) => trace.turnCount !== null) && traces;
  });
  const whole = await Promise.all(traces.map(({ traceId }) => client.traces.get({ traceId, wait: 30 })));
  return whole.map(({ lastReceivedAt: _, quality: __, ...trace }) => trace);
}

describe.concurrent.each(recordedCounts())("the recording $set", ({ set, spans, traceIds, toolSpans }) => {
  test("all spans are stored, and the conversation has the turns and tool calls", async () => {
    const stored = await storedAfter(await newProject(`${set} as sent`), requestsOf(set), spans);
    expect(stored.map((trace) => trace.traceCount)).toEqual([traceIds]);
    expect(stored.flatMap((trace) => trace.spans)).toHaveLength(spans);
    expect(stored.flatMap((trace) => trace.toolCalls)).toHaveLength(toolSpans);
    for (const trace of stored) {
      expect(trace.turnCount).toBe(trace.vocabulary === null ? null : trace.turns.length);
      expect(trace.toolCallCount).toBe(trace.vocabulary === null ? null : trace.toolCalls.length);
    }
    const turns = stored.flatMap((trace) => trace.turns).filter((turn) => turn.role === "agent");
    expect(turns.length).toBeGreaterThan(1);
    expect(turns.some((turn) => turn.text !== null)).toBe(!set.endsWith("-withheld"));
  });
});

test.concurrent.each(casesOf(recordedCounts(), 2))(
  "shuffled, doubled and split exports give the same conversation: $set",
  async ({ set, spans }) => {
    const asSent = await storedAfter(await newProject(`${set} first`), requestsOf(set), spans);
    const requests = shuffled([...requestsOf(set), ...splitRequestsOf(set), ...splitRequestsOf(set)]);
    expect(await storedAfter(await newProject(`${set} again`), requests, spans)).toEqual(asSent);
  },
);

describe("a stored conversation", () => {
  test("a conversation is unchanged after a restart", async () => {
    const first = await startServer();
    const keys = keySettings(first);
    const before = await storedAfter(first.client, requestsOf("js-1.9.0-voice"), 44);
    await first.close();
    const second = await startServer({ dataDir: first.dataDir, settings: keys });
    expect(await storedAfter(second.client, [], 44)).toEqual(before);
    await second.stop();
    first.remove();
  });

  test("a conversation is invisible to another project: its id gets the same answer as an unknown id", async () => {
    const mine = await newProject("mine");
    const [trace] = await storedAfter(mine, requestsOf("js-1.9.0-text"), 32);
    const theirs = await newProject("theirs");
    const refusal = async (traceId: string) => {
      const error: unknown = await theirs.traces.get({ traceId }).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(SvcError);
      const { code, status, message, details } = error as SvcError;
      return { code, status, message, details };
    };
    expect(await refusal(trace!.traceId)).toEqual(await refusal("0123456789abcdef0123456789abcdef"));
    expect(await refusal(trace!.traceId)).toMatchObject({ code: "not_found" });
    expect((await theirs.traces.list()).traces).toEqual([]);
  });
});
