import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { idsOf, type Monitored, openMonitored } from "../support/monitoring.ts";
import { ongoing, withheld, type WireCall, withoutTranscript } from "../support/platform-a/calls.ts";
import { until } from "../support/until.ts";

const MINUTE = 60_000;
const DAY_MINUTES = 24 * 60;

/** With these intervals, only the first scan runs during a spec. */
const CALM = { pollMs: MINUTE, lateMs: MINUTE };

const serving = (pace: Parameters<typeof openMonitored>[0] = {}) => {
  const world = {} as { m: Monitored };
  beforeAll(async () => {
    world.m = await openMonitored(pace);
  });
  afterEach(() => world.m.quiet());
  afterAll(() => world.m.stop());
  return world;
};

describe("the first scan", () => {
  const world = serving({ pace: { ...CALM, pageCalls: 3, requestMs: 600_000, leaseMs: 300 } });

  test("the first scan imports the calls of 30 days, no earlier calls, and reports its progress", async () => {
    const { fake } = world.m;
    const p = await world.m.project();
    const calls = [5, 60, DAY_MINUTES, 29 * DAY_MINUTES].map((minutes) => p.callBefore(minutes));
    fake.addCalls([...calls, p.callBefore(31 * DAY_MINUTES)]);
    expect((await p.save()).agents[0]).toMatchObject({ state: "importing", scan: null, last_success_at: null });
    const [agent] = (await p.active()).agents;
    expect(agent!.scan).toMatchObject({ kind: "first", pages: 2, imported: 4, reached: agent!.scan!.to });
    expect(Date.parse(agent!.scan!.to) - Date.parse(agent!.scan!.from)).toBe(30 * DAY_MINUTES * MINUTE);
    expect(agent!.last_conversation_at).toBe(new Date(calls[0]!.start_timestamp).toISOString());
    expect(await p.conversations()).toEqual(idsOf(calls));
  });

  test("the first scan imports a call without stored content, a call that failed and a call without an answer, and skips an ongoing call", async () => {
    const p = await world.m.project();
    const calls = [
      withheld(p.callBefore(5)),
      p.callBefore(6, { members: { call_status: "error", disconnection_reason: "error_asr" } }),
      withoutTranscript(
        p.callBefore(7, { members: { call_status: "not_connected", disconnection_reason: "dial_busy" } }),
      ),
    ];
    world.m.fake.addCalls([...calls, ongoing(p.callBefore(1))]);
    await p.save();
    await p.active();
    expect(await p.conversations()).toEqual(idsOf(calls));
  });

  test("the first scan imports calls whose times have a fraction or are implausible", async () => {
    const p = await world.m.project();
    const ended = [7.5, -1.5, 1e15, 20.25].map((end) => p.callBefore(30, { members: { end_timestamp: end } }));
    const calls = ended.map((call, n) => ({ ...call, start_timestamp: call.start_timestamp + n + 0.5 }));
    world.m.fake.addCalls(calls);
    await p.save();
    const [agent] = (await p.active()).agents;
    expect(agent!.scan).toMatchObject({ pages: 2, imported: 4 });
    expect(await p.conversations()).toEqual(idsOf(calls));
  });

  test("the first scan reads the pages of many agents in turn", async () => {
    const p = await world.m.project(5);
    const calls = p.agentIds.flatMap((agentId) =>
      Array.from({ length: 8 }, (_, n) => p.callBefore(100 - n, { agentId })),
    );
    world.m.fake.addCalls(calls);
    await p.save();
    await p.active();
    const order = p.lists().map(({ agentId }) => agentId);
    for (const from of [0, 5, 10]) expect(new Set(order.slice(from, from + 5)).size).toBe(5);
    expect(await p.conversations()).toEqual(idsOf(calls));
  });

  test("the first scan continues after a restart at its page and in its window", async () => {
    const { fake } = world.m;
    const p = await world.m.project();
    const calls = Array.from({ length: 9 }, (_, n) => p.callBefore(100 - n));
    fake.addCalls(calls);
    fake.faults.next({ kind: "hang" }, { path: new RegExp(calls[4]!.call_id) });
    await p.save();
    await until("the platform hangs", () => fake.requests.some(({ fault }) => fault === "hang"));
    const { from, to } = (await p.agent()).scan!;
    const listed = p.lists().length;
    // If the stop waited for the platform, it would take as long as the request: ten minutes.
    await world.m.restart();
    const [agent] = (await p.active()).agents;
    expect(p.lists()[listed]!.body).toMatchObject({
      filter_criteria: { start_timestamp: { value: [Date.parse(from), Date.parse(to)] } },
      pagination_key: expect.any(String),
    });
    expect(agent!.failures).toEqual([]);
    expect(await p.conversations()).toEqual(idsOf(calls));
    expect(calls.slice(0, 3).map(p.reads)).toEqual([1, 1, 1]);
  });

  test("the first scan stops with an error when a page key repeats, and a new scan starts", async () => {
    const { fake } = world.m;
    const p = await world.m.project();
    const calls = Array.from({ length: 7 }, (_, n) => p.callBefore(100 - n));
    fake.addCalls(calls);
    fake.faults.next({ kind: "repeated_page_key" }, { path: /list-calls/, times: 4 });
    await p.save();
    await p.until("the error is seen", ({ health }) => health.state === "provider_unavailable");
    expect(p.lists().length).toBeLessThan(8);
    fake.faults.stop();
    await p.save();
    await p.active();
    expect(await p.conversations()).toEqual(idsOf(calls));
  });
});

describe("after the first scan", () => {
  const world = serving({ pace: { lateMs: MINUTE } });

  test("a poll imports new calls, and calls listed late within the overlap, and no others", async () => {
    const p = await world.m.project();
    await p.save();
    await p.active();
    const calls = [p.callBefore(0.1), p.callBefore(110)];
    world.m.fake.addCalls([...calls, p.callBefore(130)]);
    await p.imported(calls);
    const seen = p.lists().length;
    await until("three more polls", () => p.lists().length >= seen + 3);
    expect(await p.conversations()).toEqual(idsOf(calls));
    expect(calls.map(p.reads)).toEqual([1, 1]);
  });

  test("a call that has just ended waits for its transcript without a failure", async () => {
    const p = await world.m.project();
    const call = p.callBefore(1);
    world.m.fake.addCalls([withoutTranscript(call)]);
    await p.save();
    const { agents } = await p.active();
    await until("the call was read again", () => p.reads(call) >= 3);
    expect(agents[0]!.failures).toEqual([]);
    expect(await p.conversations()).toEqual([]);
    world.m.fake.addCalls([call]);
    await p.imported([call]);
  });

  test("an analysis that comes later is added to the conversation once", async () => {
    const p = await world.m.project();
    const call = p.callBefore(5);
    const { call_analysis: _, ...early } = call;
    world.m.fake.addCalls([early as WireCall]);
    await p.save();
    await p.imported([call]);
    const spans = async () => (await p.client().traces.list()).traces[0]!.spanCount;
    const before = await spans();
    world.m.fake.addCalls([call]);
    await until("the analysis is there", async () => (await spans()) > before);
    const reads = p.reads(call);
    const polls = p.lists().length;
    await until("three more polls", () => p.lists().length >= polls + 3);
    expect(p.reads(call)).toBe(reads);
    expect(await p.conversations()).toEqual([call.call_id]);
  });
});

describe("between polls", () => {
  const world = serving({ pace: { pollMs: MINUTE, reconcileMs: 300 } });

  test("the scan for late calls imports a call that began before the overlap and has ended since", async () => {
    const p = await world.m.project();
    await p.save();
    await p.active();
    const long = p.callBefore(5 * 60, { members: { end_timestamp: Date.now() - MINUTE } });
    world.m.fake.addCalls([long]);
    await p.imported([long]);
    expect(p.reads(long)).toBe(1);
  });

  test("the reconciliation imports a call of the last 30 days that no list had", async () => {
    const p = await world.m.project();
    await p.save();
    await p.active();
    const forgotten = p.callBefore(20 * DAY_MINUTES);
    world.m.fake.addCalls([forgotten]);
    await p.imported([forgotten]);
    expect(p.reads(forgotten)).toBe(1);
  });
});
