import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { MonitoringSetup } from "@svc/contract";
import { idsOf, type Monitored, type MonitoredProject, openMonitored } from "../support/monitoring.ts";
import { scaledBy } from "../support/monitoring-pace.ts";
import type { WireCall } from "../support/platform-a/calls.ts";
import type { Fault } from "../support/platform-a/faults.ts";
import { until } from "../support/until.ts";

/** All pauses are this many times shorter than in production. */
const SPEED = 100;
const PACE = scaledBy(1 / SPEED);
const EVERYTHING = 10_000;
const FAILS: Fault = { kind: "status", status: 500 };

let m: Monitored;
let p: MonitoredProject;
beforeAll(async () => {
  m = await openMonitored({ pace: { ...PACE, requestMs: 5_000 } });
});
afterEach(() => m.quiet());
afterAll(() => m.stop());

const callsBefore = (count: number, agentId = p.agentIds[0]!) =>
  Array.from({ length: count }, (_, n) => p.callBefore(100 - n, { agentId }));

const readsOf = (calls: readonly WireCall[]) =>
  new RegExp(`get-call/(${calls.map(({ call_id }) => call_id).join("|")})$`);

const pauseMs = ({ health }: MonitoringSetup) => Date.parse(health.blocked_until!) - Date.parse(health.last_error_at!);

/** Resolves with the first pause that the setup shows after each number of successive errors, up to this number. */
async function pausesUpTo(errors: number): Promise<Map<number, number>> {
  const pauses = new Map<number, number>();
  await p.until(`${errors} errors in a row`, (setup) => {
    const { consecutive_failures: inARow, blocked_until } = setup.health;
    if (blocked_until !== null && !pauses.has(inARow)) pauses.set(inARow, pauseMs(setup));
    return inARow >= errors;
  });
  return pauses;
}

test("a read that fails between reads that succeed is tried again soon, and the setup never pauses", async () => {
  p = await m.project();
  const calls = callsBefore(60);
  m.fake.addCalls(calls);
  for (const [n, call] of calls.entries()) if (n % 5 === 4) m.fake.faults.next(FAILS, { path: readsOf([call]) });
  const begunMs = performance.now();
  await p.save();
  await until(
    "all calls are imported",
    async () => {
      const agent = await p.agent();
      return agent.imported === calls.length;
    },
    60_000,
  );
  const tookMs = Math.round(performance.now() - begunMs);
  console.log(`60 calls, of which every fifth fails once: ${tookMs} ms with pauses divided by ${SPEED}`);
  expect((await p.setup()).health).toMatchObject({ state: "healthy", last_error_at: null });
  expect((await p.agent()).failures).toEqual([]);
  expect(calls.map(p.reads)).toEqual(calls.map((_, n) => (n % 5 === 4 ? 2 : 1)));
  expect(await p.conversations()).toEqual(idsOf(calls));
});

test("the pauses of a platform that answers nothing grow until it answers", async () => {
  p = await m.project();
  await p.save();
  await p.active();
  const calls = callsBefore(10);
  m.fake.addCalls(calls);
  m.fake.faults.next({ kind: "reset" }, { times: EVERYTHING });
  const pauses = await pausesUpTo(5);
  expect(pauses.size).toBeGreaterThan(1);
  for (const [inARow, ms] of pauses) {
    const longestMs = Math.min(PACE.backOffMs * 2 ** (inARow - 1), PACE.backOffMaxMs);
    expect(ms, `the pause after ${inARow} errors`).toBeGreaterThanOrEqual(longestMs / 2);
    expect(ms, `the pause after ${inARow} errors`).toBeLessThanOrEqual(Math.ceil(longestMs));
  }
  m.fake.faults.stop();
  await p.imported(calls);
  expect((await p.agent()).failures).toEqual([]);
});

test("a rate limit stops the reads that wait, and every agent of the setup, for as long as the platform says", async () => {
  p = await m.project(2);
  const [first, second] = p.agentIds as [string, string];
  const calls = [...callsBefore(20, first), ...callsBefore(20, second)];
  m.fake.addCalls(calls);
  m.fake.faults.next({ kind: "status", status: 429, retryAfter: "1" }, { path: /get-call/ });
  m.fake.faults.next({ kind: "slow", ms: 300 }, { path: /get-call/, times: 3 });
  await p.save();
  const { health } = await p.until("the key is limited", (setup) => setup.health.state === "rate_limited");
  expect(Date.parse(health.blocked_until!) - Date.parse(health.last_error_at!)).toBe(1_000);
  expect(calls.filter((call) => p.reads(call) > 0)).toHaveLength(4);
  const listed = p.lists().length;
  await p.until("the key is not limited", (setup) => setup.health.state === "healthy");
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(health.blocked_until!));
  expect(listed).toBe(1);
  await p.active();
  expect((await p.setup()).agents.map(({ open_failures }) => open_failures)).toEqual([0, 0]);
  expect(await p.conversations()).toEqual(idsOf(calls));
});

test("only the pauses of a call that always fails grow, while new calls arrive and the setup stays healthy", async () => {
  p = await m.project();
  const calls = callsBefore(12);
  const failing = calls[6]!;
  m.fake.addCalls(calls);
  m.fake.faults.next(FAILS, { path: readsOf([failing]), times: EVERYTHING });
  await p.save();
  const failureNow = async () => (await p.agent()).failures[0];
  const first = await until("the failure is open", failureNow);
  const later = [p.callBefore(1)];
  m.fake.addCalls(later);
  await p.imported([...calls.filter((call) => call !== failing), ...later]);
  const last = await until("the call was tried again", async () => {
    const failure = await failureNow();
    return failure!.attempts >= first.attempts + 1 && failure;
  });
  const waitMs = ({ last_attempt_at, next_attempt_at }: typeof last) =>
    Date.parse(next_attempt_at) - Date.parse(last_attempt_at);
  expect(waitMs(last)).toBeGreaterThan(waitMs(first));
  expect(last).toMatchObject({ provider_call_id: failing.call_id, error_kind: "provider_unavailable" });
  expect((await p.setup()).health).toMatchObject({ state: "healthy", last_error_at: null });
});

test("an outage of the platform amid a page of calls pauses the imports, and after the outage every call is imported", async () => {
  p = await m.project();
  const calls = callsBefore(60);
  m.fake.addCalls(calls);
  m.fake.faults.next(FAILS, { path: readsOf(calls.slice(20)), times: EVERYTHING });
  await p.save();
  await pausesUpTo(2);
  m.fake.faults.next(FAILS, { path: /list-calls/, times: EVERYTHING });
  const { agents } = await p.until("the list fails too", ({ health }) => health.consecutive_failures >= 4);
  expect(agents[0]).toMatchObject({ state: "importing", imported: 20 });
  m.fake.faults.stop();
  await p.imported(calls);
  const setup = await p.active();
  expect(setup.health).toMatchObject({ state: "healthy", blocked_until: null, consecutive_failures: 0 });
  expect(setup.agents[0]).toMatchObject({ imported: 60, open_failures: 0 });
  expect(await p.conversations()).toEqual(idsOf(calls));
});

test("the pauses after errors of the platform do not grow when calls are imported between the errors", async () => {
  p = await m.project();
  const calls = callsBefore(96);
  m.fake.addCalls(calls);
  // There are more calls than the service reads at once, so six successive reads get no answer.
  for (const from of [8, 32, 56, 80])
    for (const call of calls.slice(from, from + 13)) m.fake.faults.next(FAILS, { path: readsOf([call]) });
  await p.save();
  const inARow = new Set<number>();
  const { health } = await p.until("all calls are imported", ({ health, agents }) => {
    inARow.add(health.consecutive_failures);
    return agents[0]!.imported === calls.length;
  });
  expect(health.last_error_at).not.toBeNull();
  expect(Math.max(...inARow)).toBeLessThanOrEqual(2);
  expect((await p.active()).agents[0]!.open_failures).toBe(0);
  expect(await p.conversations()).toEqual(idsOf(calls));
});
