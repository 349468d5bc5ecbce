import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createReadWaits } from "../../packages/server/src/traces/intake/read-waits.ts";
import type { WaitingRead } from "../../packages/server/src/traces/store/trace-store.ts";
import { requestOf, spanOf, traceIdOf } from "../support/ingest.ts";
import { attribute, encodeProtobuf } from "../support/otlp.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";
import { until } from "../support/until.ts";

const never = new AbortController().signal;

describe("a read with `wait`", () => {
  let server: SharedServer;
  beforeAll(async () => {
    server = await shareServer();
  });
  afterAll(() => server.stop());

  const send = (spans: Parameters<typeof requestOf>[0]) =>
    server.client.traces.ingest({ body: encodeProtobuf(requestOf(spans)), contentType: "application/x-protobuf" });

  test("a read with `wait` has every span that was acknowledged before it, even of other traces of the conversation", async () => {
    let trace = 0;
    const bodies = fc.array(fc.record({ spans: fc.integer({ min: 1, max: 40 }), together: fc.boolean() }), {
      minLength: 1,
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(bodies, async (sent) => {
        const first = ++trace;
        const session = attribute("session.id", `session-${first}`);
        let last = first;
        let count = 0;
        for (const { spans, together } of sent) {
          if (!together) last = ++trace;
          const attributes = [session];
          await send(Array.from({ length: spans }, (_, at) => spanOf(last, count + at, { attributes })));
          count += spans;
        }
        const read = await server.client.traces.get({ traceId: traceIdOf(last), wait: 30 });
        expect(read).toMatchObject({ upToDate: true, spanCount: count });
        expect(read.spans).toHaveLength(count);
      }),
      { numRuns: 15 },
    );
  });

  test("a request with `wait` waits until the conversation is derived: one whose root span has ended is final", async () => {
    const trace = 9_000;
    await send([spanOf(trace, 0), spanOf(trace, 1)]);
    expect(await server.client.traces.get({ traceId: traceIdOf(trace), wait: 30 })).toMatchObject({
      upToDate: true,
      state: "final",
    });
    expect(await server.client.traces.get({ traceId: traceIdOf(trace) })).toMatchObject({ upToDate: null });
    expect(await server.client.traces.get({ traceId: traceIdOf(trace), wait: 0 })).toMatchObject({ upToDate: null });
  });

  test("a read with `wait` answers 404 when no acknowledged span has the trace, without waiting for the whole time", async () => {
    await expect(server.client.traces.get({ traceId: traceIdOf(404), wait: 30 })).rejects.toMatchObject({
      code: "not_found",
    });
  });

  test.each(["-1", "31", "1.5", "soon"])("a read with `wait` refuses %s seconds", async (wait) => {
    const url = `${server.url}/v1/traces/${traceIdOf(1)}?wait=${wait}`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${server.projectKey}` } });
    expect(answer.status).toBe(400);
  });
});

describe("waits for derived conversations", () => {
  function openWaits(areRead: (reads: readonly WaitingRead[]) => boolean[]) {
    let loadedLsn = 7;
    let acknowledged = 7;
    let progress = () => undefined as void;
    const checks: number[] = [];
    const waits = createReadWaits(
      { acknowledgedLsn: () => acknowledged },
      {
        commitSoon: () => undefined,
        loadedLsn: () => loadedLsn,
        onProgress: (listener) => ((progress = listener), () => undefined),
      },
      { areRead: async (reads) => (checks.push(reads.length), areRead(reads)) },
      { atOnce: 4, atOnceOfOne: 2, checkEveryMs: 1 },
    );
    return {
      checks,
      wait: (organization: string, ms = 60_000, signal = never) => waits.upToDate(organization, 1, "a", ms, signal),
      acknowledge: (lsn: number) => (acknowledged = lsn),
      load: (lsn: number) => {
        loadedLsn = lsn;
        progress();
      },
      project: () => progress(),
    };
  }

  test("a wait ends with false when its time is over", async () => {
    const { wait } = openWaits((reads) => reads.map(() => false));
    expect(await wait("o", 5)).toBe(false);
  });

  test("a wait covers the spans that were acknowledged before it, and no later ones", async () => {
    const asked: number[] = [];
    const { wait, acknowledge, load } = openWaits((reads) => reads.map(({ lsn }) => asked.push(lsn) > 0));
    acknowledge(9);
    const waiting = wait("o");
    acknowledge(20);
    load(8);
    load(9);
    expect(await waiting).toBe(true);
    expect(asked).toEqual([9]);
  });

  test("one query serves all waits, and each is repeated after progress only", async () => {
    let isRead = false;
    const { wait, checks, project } = openWaits((reads) => reads.map(() => isRead));
    const waiting = [wait("a"), wait("a"), wait("b"), wait("b")];
    await until("all waits are checked", () => checks.includes(4));
    isRead = true;
    project();
    expect(await Promise.all(waiting)).toEqual([true, true, true, true]);
    expect(checks.length).toBeLessThanOrEqual(3);
  });

  test("a wait rejects when the store cannot answer", async () => {
    const { wait } = openWaits(() => {
      throw new Error("the store has failed");
    });
    await expect(wait("o")).rejects.toThrow("the store has failed");
  });

  test("a client that disconnects ends its wait, and its place is free again", async () => {
    const { wait } = openWaits((reads) => reads.map(() => false));
    const leave = new AbortController();
    const waiting = [wait("o", 60_000, leave.signal), wait("o", 60_000, leave.signal)];
    await expect(wait("o")).rejects.toMatchObject({ status: 503 });
    leave.abort(new Error("left"));
    for (const one of waiting) await expect(one).rejects.toThrow("left");
    expect(await wait("o", 5)).toBe(false);
  });
});
