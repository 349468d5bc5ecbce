import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { drawsOfCases } from "../support/long-form.ts";
import { idsOf, type Monitored, type MonitoredProject, openMonitored } from "../support/monitoring.ts";
import type { Fault } from "../support/platform-a/faults.ts";

const casesOf = drawsOfCases();
const MINUTE = 60_000;

let m: Monitored;
let p: MonitoredProject;
beforeAll(async () => {
  m = await openMonitored({ pace: { pageCalls: 2, reprobeMs: 300, lateMs: MINUTE, requestMs: 2_000 } });
});
afterEach(() => m.quiet());
afterAll(() => m.stop());

const stateOf = (state: string) => p.until(`the health is ${state}`, ({ health }) => health.state === state);

const FAULTS: [platform: string, fault: Fault, state: string][] = [
  ["fails", { kind: "status", status: 500 }, "provider_unavailable"],
  ["resets connections", { kind: "reset" }, "provider_unavailable"],
  ["breaks off its answers", { kind: "reset_in_body" }, "provider_unavailable"],
  ["hangs", { kind: "hang" }, "provider_unavailable"],
  ["answers without an end", { kind: "trickle" }, "provider_unavailable"],
  ["answers something else than JSON", { kind: "garbage" }, "provider_unavailable"],
  ["redirects", { kind: "redirect", to: "http://127.0.0.1:1/" }, "provider_unavailable"],
  ["answers more than the client reads", { kind: "huge", bytes: 9 * 2 ** 20 }, "provider_unavailable"],
  ["limits the key", { kind: "status", status: 429 }, "rate_limited"],
  ["rejects the key", { kind: "status", status: 401 }, "invalid_credential"],
  ["denies a permission", { kind: "status", status: 403 }, "invalid_credential"],
];
describe.each(casesOf(FAULTS, 3))("a platform that %s", (_, fault, state) => {
  test(`the platform makes the setup ${state}, opens no failure, and delays every call until it recovers`, async () => {
    p = await m.project();
    const calls = Array.from({ length: 5 }, (_, n) => p.callBefore(100 - n));
    m.fake.addCalls(calls);
    await p.save();
    await p.active();
    const more = Array.from({ length: 3 }, (_, n) => p.callBefore(50 - n));
    m.fake.faults.next(fault, { path: /list-calls/, times: 10_000 });
    const { health } = await stateOf(state);
    expect(health.consecutive_failures).toBeGreaterThan(0);
    expect(Date.parse(health.blocked_until!)).toBeGreaterThan(Date.parse(health.last_error_at!));
    m.fake.addCalls(more);
    m.fake.faults.stop();
    const healed = await stateOf("healthy");
    expect(healed.health).toMatchObject({ blocked_until: null, consecutive_failures: 0 });
    expect(Date.parse(healed.health.last_recovered_at!)).toBeGreaterThanOrEqual(
      Date.parse(healed.health.last_error_at!),
    );
    await p.imported([...calls, ...more]);
    expect((await p.agent()).failures).toEqual([]);
    await m
      .server()
      .client.monitoring.remove({ platform: "platform_a", project: undefined })
      .catch(() => undefined);
  });
});

test("a rate limit stops the setup's requests for as long as the platform says", async () => {
  p = await m.project();
  m.fake.addCalls([p.callBefore(5)]);
  await p.save();
  await p.active();
  m.fake.faults.next({ kind: "status", status: 429, retryAfter: "2" }, { path: /list-calls/ });
  const { health } = await stateOf("rate_limited");
  const waitMs = Date.parse(health.blocked_until!) - Date.parse(health.last_error_at!);
  expect(waitMs).toBe(2_000);
  const asked = p.lists().length;
  await stateOf("healthy");
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(health.blocked_until!));
  expect(p.lists().length).toBeGreaterThan(asked);
});

test("a rate limit in the middle of a page opens no failure, and imported calls are not read again", async () => {
  p = await m.project();
  const calls = Array.from({ length: 4 }, (_, n) => p.callBefore(100 - n));
  m.fake.addCalls(calls);
  m.fake.faults.next({ kind: "status", status: 429 }, { path: new RegExp(calls[1]!.call_id) });
  await p.save();
  await p.active();
  expect(calls.map(p.reads)).toEqual([1, 2, 1, 1]);
  expect(await p.conversations()).toEqual(idsOf(calls));
  expect((await p.setup()).health.last_error_at).not.toBeNull();
});

test("a call that never answers delays no other call and becomes a failure", async () => {
  p = await m.project();
  const calls = Array.from({ length: 6 }, (_, n) => p.callBefore(100 - n));
  m.fake.addCalls(calls);
  m.fake.faults.next({ kind: "status", status: 500 }, { path: new RegExp(calls[1]!.call_id), times: 10_000 });
  await p.save();
  const others = calls.filter((call) => call !== calls[1]);
  await p.imported(others);
  const { agents } = await p.until("the failure is open", (setup) => setup.agents[0]!.failures.length === 1);
  expect(agents[0]!.failures[0]).toMatchObject({
    provider_call_id: calls[1]!.call_id,
    error_kind: "provider_unavailable",
  });
  expect(agents[0]!.failures[0]!.attempts).toBeGreaterThanOrEqual(5);
  m.fake.faults.stop();
  await p.imported(calls);
  await p.active();
});

test("a new key is used at once, even when the previous key was rejected", async () => {
  p = await m.project();
  m.fake.addKey("key_revoked_later");
  await p.save(p.agentIds, "key_revoked_later");
  await p.active();
  m.fake.removeKey("key_revoked_later");
  await stateOf("invalid_credential");
  const call = p.callBefore(1);
  m.fake.addCalls([call]);
  const { health, credentials_hint } = await p.save();
  expect({ health, credentials_hint }).toMatchObject({ health: { state: "healthy" }, credentials_hint: "366a" });
  await p.imported([call]);
});
