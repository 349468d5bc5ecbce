import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { openStoreOf } from "../support/engine.ts";
import { openMonitored } from "../support/monitoring.ts";
import { until } from "../support/until.ts";

const WINDOW_MS = 15 * 60_000;

afterEach(() => void vi.useRealTimers());

test("a rule counts the import failures that are open at the end of each window, and tells of them by agent", async () => {
  const m = await openMonitored();
  const p = await m.project();
  const [open, resolved, imported] = [p.callBefore(5), p.callBefore(6), p.callBefore(7)];
  m.fake.addCalls([open, resolved, imported]);
  const failing = new RegExp(`${open.call_id}|${resolved.call_id}`);
  m.fake.faults.next({ kind: "garbage" }, { path: failing, times: 10_000 });
  await p.save();
  await until("both calls failed", async () => (await p.agent())?.failures.length === 2);
  await m.server().close();

  // The clock stands still, so that no further window ends. The failures are moved to times before.
  vi.useFakeTimers({ now: Date.now(), toFake: ["Date"] });
  const lastEnd = Math.floor((Date.now() - 60_000) / WINDOW_MS) * WINDOW_MS;
  const endOf = (windowsAgo: number, ms = 0) => new Date(lastEnd - windowsAgo * WINDOW_MS + ms).toISOString();
  const { db, close } = await openStoreOf(m.dataDir);
  const change = (callId: string, to: { opened_at: string; last_attempt_at?: string; status?: "resolved" }) =>
    db.updateTable("import_failures").set(to).where("call_id", "=", callId).execute();
  await change(open.call_id, { opened_at: endOf(1, 1) });
  await change(resolved.call_id, { opened_at: endOf(5), last_attempt_at: endOf(3), status: "resolved" });
  await close();
  rmSync(join(m.dataDir, "relational.checksums"), { force: true }); // the service does not start when rows differ from these checksums
  await m.restart();

  const client = p.client();
  const rule = {
    watch: { kind: "import_failures" },
    windowMinutes: 15,
    condition: { is: "above", value: 0 },
  } as const;
  const { series } = await client.alertRules.preview({ ...rule, days: 1 });
  const agentName = (await p.agent())!.platform_agent_name;
  expect(series.map((each) => each.agentName)).toEqual([agentName]);
  const bad = series[0]!.windows.filter(({ judged }) => judged === "bad");
  expect(bad.map(({ endedAt, value }) => [endedAt, value])).toEqual([
    [endOf(5), 1],
    [endOf(4), 1],
    [endOf(0), 1],
  ]);
  expect(series[0]!.alerts.map(({ raisedAt, clearedAt }) => [raisedAt, clearedAt])).toEqual([
    [endOf(5), endOf(3)],
    [endOf(0), null],
  ]);

  await client.alertRules.create({ ...rule, name: "imports" });
  const alert = await until("the alert is raised", async () => (await client.alerts.list({})).alerts[0]);
  expect(alert).toMatchObject({
    agentName,
    value: 1,
    what: "number of open import failures",
    raisedAt: endOf(0),
    conversations: [],
  });
  const ofVersion = client.alertRules.create({ ...rule, name: "of a version", agentVersions: ["41"] });
  await expect(ofVersion).rejects.toMatchObject({ code: "unprocessable" });
  const ofChannel = client.alertRules.create({ ...rule, name: "of a channel", channels: ["telephone"] });
  await expect(ofChannel).rejects.toMatchObject({ code: "unprocessable" });
  await m.stop();
});
