import { rmSync } from "node:fs";
import { join } from "node:path";
import { LIMITS } from "@svc/contract";
import { expect, test } from "vitest";
import { newId } from "../../packages/server/src/base/ids.ts";
import { createWitnessRow } from "../../packages/server/src/traces/store/clock-witness-row.ts";
import { openStoreOf } from "../support/engine.ts";
import { keySettings } from "../support/secret.ts";
import { startServer } from "../support/server.ts";
import { until } from "../support/until.ts";

const DAY_MS = 86_400_000;

test("alerts go a long time after they were cleared, and open ones stay", async () => {
  const server = await startServer();
  const { dataDir } = server;
  const { alertRule } = await server.client.alertRules.create({
    name: "errors",
    watch: { kind: "errors" },
    windowMinutes: 60,
    condition: { is: "above", value: 0.5 },
  });
  await server.close();

  const store = await openStoreOf(dataDir);
  const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
  const agents = { old: LIMITS.clearedAlertDays + 2, newer: LIMITS.clearedAlertDays - 2, open: null };
  for (const [agent, clearedDaysAgo] of Object.entries(agents))
    await store.db
      .insertInto("alerts")
      .values({
        id: newId("alt"),
        project_id: server.project.id,
        rule_id: alertRule.id,
        rule_name: "errors",
        agent,
        severity: "warning",
        window_started_at: daysAgo(500),
        raised_at: daysAgo(500),
        cleared_at: clearedDaysAgo === null ? null : daysAgo(clearedDaysAgo),
        cleared_because: clearedDaysAgo === null ? null : "recovered",
        value: 1,
        samples: 40,
        condition_is: "above",
        condition_value: 0.5,
        usual: null,
        unit: "ratio",
        what: "share of conversations with an error",
        acknowledged_by: null,
        acknowledged_at: null,
        note: null,
        reminded_at: null,
      })
      .execute();
  // The service erases no alert until it has run for a day, so that people can correct a wrong clock. This row says that the day is over.
  await createWitnessRow(store.db, "alerts").write({ seenMs: Date.now() - 60_000, holdMs: 0 });
  await store.close();
  rmSync(join(dataDir, "relational.checksums"), { force: true }); // the service does not start when rows differ from these checksums

  const again = await startServer({ dataDir, settings: keySettings(server) });
  const names = async () => new Set((await again.client.alerts.list({})).alerts.map(({ agentName }) => agentName));
  await until("the old alert is gone", async () => !(await names()).has("old"));
  expect(await names()).toEqual(new Set(["newer", "open"]));
  await again.stop();
});
