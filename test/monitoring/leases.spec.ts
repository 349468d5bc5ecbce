import { afterAll, beforeAll, expect, test } from "vitest";
import { PACE } from "../../packages/server/src/monitoring/platform-a/pace.ts";
import { importRulesAt } from "../../packages/server/src/monitoring/rules.ts";
import { createScanStore, type ScanStore } from "../../packages/server/src/monitoring/store/scans.ts";
import type { Relational } from "../../packages/server/src/stores/relational.ts";
import { IS_SHARED, openStoreOf } from "../support/engine.ts";
import { type Monitored, type MonitoredProject, openMonitored } from "../support/monitoring.ts";
import { until } from "../support/until.ts";

const HOUR = 3_600_000;
const FAR = Date.now() + 1_000 * HOUR;

let m: Monitored;
let p: MonitoredProject;
let processes: Relational[];
let one: ScanStore;
let other: ScanStore;

/** Opens two connections to the store of a stopped service, as two processes would. */
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

test("one of two processes that race leases an agent of a setup, and the other none until it is released", async () => {
  const scanned: string[] = [];
  for (let round = 0; round < 3; round++) {
    const leases = await Promise.all(
      Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? one : other).leaseNext(FAR, HOUR, [])),
    );
    const held = leases.filter((lease) => lease !== undefined);
    expect(held).toHaveLength(1);
    scanned.push(held[0]!.agent.id);
    await one.release(held[0]!, FAR + HOUR);
  }
  expect(new Set(scanned).size).toBe(3);
});

test("an agent can be leased again after a lapse, and writes of the former holder are refused", async () => {
  const dueMs = FAR + HOUR;
  const former = (await one.leaseNext(dueMs, HOUR, []))!;
  const begun = await one.begin(former, window(FAR));
  expect(begun).toMatchObject({ scan_kind: "poll", scan_done: 0 });
  expect(await other.leaseNext(dueMs, HOUR, [])).toBeUndefined();
  expect(await one.renew(former, 0)).toBe(true);
  const next = (await other.leaseNext(dueMs, HOUR, []))!;
  expect(next.agent).toMatchObject({ id: former.agent.id, scan_kind: "poll", scan_done: 0 });

  const page = {
    nextKey: undefined,
    reachedMs: FAR,
    progress: { polled_to_ms: FAR, late_to_ms: FAR, reconciled_to_ms: FAR },
  };
  expect(await one.renew(former, HOUR)).toBe(false);
  expect(await one.begin(former, window(FAR))).toBeUndefined();
  expect(await one.recordPage(former, [], page, rules)).toBe("lost");
  await one.abandon(former);
  await one.release(former, 0);
  expect(await other.renew(next, HOUR)).toBe(true);
  expect(await other.recordPage(next, [], page, rules)).toBe("ended");
  await other.release(next, FAR);
});

test("a start ends the lease of a killed process that owned the data folder, and no lease of another process", async () => {
  await one.leaseNext(FAR + 10 * HOUR, 10 * HOUR, []);
  const leases = () => processes[0]!.db.selectFrom("monitored_agents").select("leased_until_ms").execute();
  const isLeased = async () => (await leases()).some(({ leased_until_ms }) => leased_until_ms > Date.now() + 5 * HOUR);
  expect(await isLeased()).toBe(true);
  await m.restart();
  if (!IS_SHARED) return void (await until("no agent is leased", async () => !(await isLeased())));
  const polled = await m.project(1);
  await polled.save();
  await polled.active();
  expect(await isLeased()).toBe(true);
});
