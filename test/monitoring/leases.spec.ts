import { afterAll, beforeAll, expect, test } from "vitest";
import { PACE } from "../../packages/server/src/monitoring/pace.ts";
import { decisionsAt } from "../../packages/server/src/monitoring/rules.ts";
import { openScanStore, type ScanStore } from "../../packages/server/src/monitoring/store/scans.ts";
import { openRelational, type Relational } from "../../packages/server/src/stores/relational.ts";
import { type Monitored, type MonitoredProject, openMonitored } from "../support/monitoring.ts";

const HOUR = 3_600_000;
const FAR = Date.now() + 1_000 * HOUR;

let m: Monitored;
let p: MonitoredProject;
let processes: Relational[];
let one: ScanStore;
let other: ScanStore;

/** Two processes that look at the same store, and a service that is stopped. */
beforeAll(async () => {
  m = await openMonitored({ pace: { pollMs: HOUR, lateMs: HOUR } });
  p = await m.project(3);
  await p.save();
  await p.active();
  await m.server().close();
  processes = [openRelational(m.dataDir), openRelational(m.dataDir)];
  [one, other] = processes.map(({ db }) => openScanStore(db)) as [ScanStore, ScanStore];
});
afterAll(async () => {
  await Promise.all(processes.map((process) => process.close()));
  await m.stop();
});

const window = (nowMs: number) => ({ kind: "poll" as const, fromMs: 0, toMs: nowMs, endedFromMs: null });
const decisions = decisionsAt({ nowMs: FAR, random: 0.5, pace: PACE });

test("two processes never hold the same agent, however they race", async () => {
  const taken = await Promise.all(
    Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? one : other).take(FAR, HOUR, [])),
  );
  const held = taken.filter((turn) => turn !== undefined);
  expect(new Set(held.map(({ agent }) => agent.id)).size).toBe(3);
  expect(held).toHaveLength(3);
  for (const turn of held) await one.release(turn, FAR);
});

test("a lapsed lease frees itself, and what its former holder writes is refused", async () => {
  const former = (await one.take(FAR, HOUR, []))!;
  const begun = await one.begin(former, window(FAR));
  expect(begun).toMatchObject({ scan_kind: "poll", scan_done: 0 });
  await Promise.all([one, one].map((store) => store.take(FAR, 5 * HOUR, [])));
  expect(await other.take(FAR + HOUR - 1, HOUR, [])).toBeUndefined();
  const next = (await other.take(FAR + HOUR, HOUR, []))!;
  expect(next.agent).toMatchObject({ id: former.agent.id, scan_kind: "poll", scan_done: 0 });

  const page = {
    nextKey: undefined,
    reachedMs: FAR,
    progress: { polled_to_ms: FAR, late_to_ms: FAR, reconciled_to_ms: FAR },
  };
  expect(await one.renew(former, FAR + 9 * HOUR)).toBe(false);
  expect(await one.begin(former, window(FAR))).toBeUndefined();
  expect(await one.checkpoint(former, [], page, decisions)).toBe("lost");
  await one.giveUp(former);
  await one.release(former, 0);
  expect(await other.renew(next, FAR + 2 * HOUR)).toBe(true);
  expect(await other.checkpoint(next, [], page, decisions)).toBe("ended");
  await other.release(next, FAR);
});
