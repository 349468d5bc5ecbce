import { afterAll, beforeAll, expect, test } from "vitest";
import { PACE } from "../../packages/server/src/monitoring/pace.ts";
import { importRulesAt } from "../../packages/server/src/monitoring/rules.ts";
import { createScanStore, type ScanStore } from "../../packages/server/src/monitoring/store/scans.ts";
import type { Relational } from "../../packages/server/src/stores/relational.ts";
import { openStoreOf } from "../support/engine.ts";
import { type Monitored, type MonitoredProject, openMonitored } from "../support/monitoring.ts";
import { until } from "../support/until.ts";

const HOUR = 3_600_000;
const FAR = Date.now() + 1_000 * HOUR;

let m: Monitored;
let p: MonitoredProject;
let processes: Relational[];
let one: ScanStore;
let other: ScanStore;

/** Two connections to the store, as two processes would have, after the service has stopped. */
beforeAll(async () => {
  m = await openMonitored({ pace: { pollMs: HOUR, lateMs: HOUR } });
  p = await m.project(3);
  await p.save();
  await p.active();
  await m.server().close();
  processes = [await openStoreOf(m.dataDir), await openStoreOf(m.dataDir)];
  [one, other] = processes.map(({ db }) => createScanStore(db)) as [ScanStore, ScanStore];
});
afterAll(async () => {
  await Promise.all(processes.map((process) => process.close()));
  await m.stop();
});

const window = (nowMs: number) => ({ kind: "poll" as const, fromMs: 0, toMs: nowMs, endedFromMs: null });
const rules = importRulesAt({ nowMs: FAR, random: 0.5, pace: PACE });

test("two processes that race never lease the same agent", async () => {
  const leases = await Promise.all(
    Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? one : other).leaseNext(FAR, HOUR, [])),
  );
  const held = leases.filter((lease) => lease !== undefined);
  expect(new Set(held.map(({ agent }) => agent.id)).size).toBe(3);
  expect(held).toHaveLength(3);
  for (const lease of held) await one.release(lease, FAR);
});

test("an agent can be leased again after a lapse, and writes of the former holder are refused", async () => {
  const former = (await one.leaseNext(FAR, HOUR, []))!;
  const begun = await one.begin(former, window(FAR));
  expect(begun).toMatchObject({ scan_kind: "poll", scan_done: 0 });
  await Promise.all([one, one].map((store) => store.leaseNext(FAR, 5 * HOUR, [])));
  expect(await other.leaseNext(FAR + HOUR - 1, HOUR, [])).toBeUndefined();
  const next = (await other.leaseNext(FAR + HOUR, HOUR, []))!;
  expect(next.agent).toMatchObject({ id: former.agent.id, scan_kind: "poll", scan_done: 0 });

  const page = {
    nextKey: undefined,
    reachedMs: FAR,
    progress: { polled_to_ms: FAR, late_to_ms: FAR, reconciled_to_ms: FAR },
  };
  expect(await one.renew(former, FAR + 9 * HOUR)).toBe(false);
  expect(await one.begin(former, window(FAR))).toBeUndefined();
  expect(await one.recordPage(former, [], page, rules)).toBe("lost");
  await one.abandon(former);
  await one.release(former, 0);
  expect(await other.renew(next, FAR + 2 * HOUR)).toBe(true);
  expect(await other.recordPage(next, [], page, rules)).toBe("ended");
  await other.release(next, FAR);
});

test("a start ends the leases of a process that was killed", async () => {
  const leaseAll = async (nowMs: number) => [
    (await one.leaseNext(nowMs, HOUR, []))!,
    (await one.leaseNext(nowMs, HOUR, []))!,
    (await one.leaseNext(nowMs, HOUR, []))!,
  ];
  for (const lease of await leaseAll(FAR + 10 * HOUR)) await one.release(lease, 0);
  await leaseAll(Date.now());
  await m.restart();
  await until("no agent is leased", async () => {
    const rows = await processes[0]!.db.selectFrom("monitored_agents").select("leased_until_ms").execute();
    return rows.length === 3 && rows.every(({ leased_until_ms }) => leased_until_ms === 0);
  });
});
