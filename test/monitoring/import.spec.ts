import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { idsOf, type Monitored, openMonitored } from "../support/monitoring.ts";
import { ongoing, withheld, type WireCall, withoutTranscript } from "../support/platform-a/calls.ts";
import { until } from "../support/until.ts";

const MINUTE = 60_000;
const DAY_MINUTES = 24 * 60;

/** Nothing but the first sweep and what a spec asks for. */
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

describe("a first sweep", () => {
  const world = serving({ pace: { ...CALM, pageCalls: 3, requestMs: 20_000, leaseMs: 300 } });

  test("imports the calls of 30 days and none before, and tells how far it is", async () => {
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

  test("takes a call that keeps no content, one nobody answered and one with a fault as whole, and leaves one that goes on", async () => {
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

  test("takes calls whose times are told with a fraction, or make no sense", async () => {
    const p = await world.m.project();
    const told = [7.5, -1.5, 1e15, 20.25].map((end) => p.callBefore(30, { members: { end_timestamp: end } }));
    const calls = told.map((call, n) => ({ ...call, start_timestamp: call.start_timestamp + n + 0.5 }));
    world.m.fake.addCalls(calls);
    await p.save();
    const [agent] = (await p.active()).agents;
    expect(agent!.scan).toMatchObject({ pages: 2, imported: 4 });
    expect(await p.conversations()).toEqual(idsOf(calls));
  });

  test("serves many agents in turn", async () => {
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

  test("goes on at its checkpoint after a restart, within the window that was fixed when it began", async () => {
    const { fake } = world.m;
    const p = await world.m.project();
    const calls = Array.from({ length: 9 }, (_, n) => p.callBefore(100 - n));
    fake.addCalls(calls);
    fake.faults.next({ kind: "hang" }, { path: new RegExp(calls[4]!.call_id) });
    await p.save();
    await until("the platform hangs", () => fake.requests.some(({ fault }) => fault === "hang"));
    const { from, to } = (await p.agent()).scan!;
    const listed = p.lists().length;
    const begunMs = performance.now();
    await world.m.restart();
    expect(performance.now() - begunMs).toBeLessThan(12_000);
    const [agent] = (await p.active()).agents;
    expect(p.lists()[listed]!.body).toMatchObject({
      filter_criteria: { start_timestamp: { value: [Date.parse(from), Date.parse(to)] } },
      pagination_key: expect.any(String),
    });
    expect(agent!.failures).toEqual([]);
    expect(await p.conversations()).toEqual(idsOf(calls));
    expect(calls.slice(0, 3).map(p.reads)).toEqual([1, 1, 1]);
  });

  test("ends with an error where a page's key is repeated, and begins anew", async () => {
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

describe("after the first sweep", () => {
  const world = serving({ pace: { lateMs: MINUTE } });

  test("a poll finds what is new, and what is listed late within the overlap, and no more", async () => {
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

  test("a call that was just hung up waits for its transcript and is no failure", async () => {
    const p = await world.m.project();
    const call = p.callBefore(1);
    world.m.fake.addCalls([withoutTranscript(call)]);
    await p.save();
    const { agents } = await p.active();
    await until("it was read again", () => p.reads(call) >= 3);
    expect(agents[0]!.failures).toEqual([]);
    expect(await p.conversations()).toEqual([]);
    world.m.fake.addCalls([call]);
    await p.imported([call]);
  });

  test("an analysis that comes later is added to the conversation, once", async () => {
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

describe("beside the polls", () => {
  const world = serving({ pace: { pollMs: MINUTE, reconcileMs: 300 } });

  test("a long call is found that began before the overlap and has ended since", async () => {
    const p = await world.m.project();
    await p.save();
    await p.active();
    const long = p.callBefore(5 * 60, { members: { end_timestamp: Date.now() - MINUTE } });
    world.m.fake.addCalls([long]);
    await p.imported([long]);
    expect(p.reads(long)).toBe(1);
  });

  test("the reconciliation finds a call of the 30 days that was in no list before", async () => {
    const p = await world.m.project();
    await p.save();
    await p.active();
    const forgotten = p.callBefore(20 * DAY_MINUTES);
    world.m.fake.addCalls([forgotten]);
    await p.imported([forgotten]);
    expect(p.reads(forgotten)).toBe(1);
  });
});
