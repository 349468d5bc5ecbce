import { afterAll, beforeAll, expect, test } from "vitest";
import { createImportStore } from "../../packages/server/src/monitoring/store/imports.ts";
import { createSealing } from "../../packages/server/src/base/secrets/sealing.ts";
import { createSealedCredentials } from "../../packages/server/src/stores/sealed-credentials.ts";
import { encryptionKeyOf, openStoreOf } from "../support/engine.ts";
import { type Monitored, openMonitored } from "../support/monitoring.ts";

let m: Monitored;
beforeAll(async () => {
  m = await openMonitored();
});
afterAll(() => m.stop());

test("the monitoring of agents has the key's hint, whether calls are imported, and when the last one was", async () => {
  const p = await m.project(2);
  const [watched, dropped] = p.agentIds as [string, string];
  const call = p.callBefore(10, { agentId: dropped });
  m.fake.addCalls([call]);
  await p.save();
  await p.imported([call]);
  const { project_id } = await p.save([watched]);

  const relational = await openStoreOf(m.dataDir);
  const ids = [watched, dropped, "agent_unknown", ...Array.from({ length: 600 }, (_, n) => `agent_none_${n}`)];
  const sealed = createSealedCredentials(relational.db, createSealing(encryptionKeyOf(m.dataDir)));
  const monitoring = await createImportStore(relational.db, sealed).monitoringOfAgents(project_id, ids);
  await relational.close();
  const none = { keyPresent: false, keyHint: null, pull: false, configured: false };
  expect(monitoring.size).toBe(ids.length);
  expect(monitoring.get(watched)).toEqual({
    keyPresent: true,
    keyHint: m.fake.apiKey.slice(-4),
    pull: true,
    configured: true,
    lastReceivedAt: null,
  });
  expect(monitoring.get(dropped)).toEqual({ ...none, lastReceivedAt: expect.stringMatching(/^\d{4}-.*Z$/) });
  expect(monitoring.get("agent_unknown")).toEqual({ ...none, lastReceivedAt: null });
});
