import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startReceiver } from "../support/receiver.ts";
import { keySettings } from "../support/secret.ts";
import type { TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { openProcesses, type Processes } from "./processes.ts";
import { spawnService, type Spawned } from "./spawned.ts";

const SETTINGS = { SVC_OUTBOUND_PRIVATE: "true" };
const OPTIONS = { senderPace: { everyMs: 20, leaseMs: 2_000 }, evaluateAlertsEveryMs: 20 };

let processes: Processes;
let spawned: Spawned | undefined;
const folder = mkdtempSync(join(tmpdir(), "svc-spec-"));
beforeAll(async () => {
  processes = await openProcesses(2, { settings: SETTINGS, ...OPTIONS });
});
afterAll(async () => {
  await spawned?.kill();
  await processes.stop();
  rmSync(folder, { recursive: true });
});

const services = () => processes.services as [TestServer, TestServer];

async function makeKeys(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const { admin, project } = services()[n % 2]!;
    ids.push((await admin.keys.create({ name: `key ${n}`, project_id: project.id })).id);
  }
  return ids;
}

const webhook = (name: string, url: string) =>
  services()[0].client.destinations.create({ name, kind: "webhook", url, eventTypes: ["key.created"] });

test("several processes send each event once, one at a time to each destination", async () => {
  const receiver = await startReceiver((_, response) => void setTimeout(() => response.writeHead(204).end(), 5));
  const { destination } = await webhook("shared", receiver.url);
  const ids = await makeKeys(60);
  await until("every event has arrived", () => receiver.received.length >= ids.length);
  const got = receiver.received.map(({ event }) => (event.type === "key.created" ? event.data.key.id : event.type));
  expect(got.toSorted()).toEqual(ids.toSorted());
  expect(receiver.mostOpen()).toBe(1);
  await services()[1].client.destinations.delete({ destinationId: destination.id });
  receiver.stop();
});

test("another process sends what a killed one was sending", async () => {
  const [one] = services();
  const { adminKey, projectKey } = one;
  let held = 0;
  // The receiver never answers the first requests, so that the process can be killed while it waits for an answer.
  const receiver = await startReceiver((_, response) => {
    if (held++ > 0) response.writeHead(204).end();
  });
  const { destination } = await webhook("held", receiver.url);
  await one.client.destinations.edit({ destinationId: destination.id, paused: true });
  spawned = await spawnService({
    dataDir: folder,
    databases: processes.databases,
    settings: { ...SETTINGS, ...keySettings({ adminKey, projectKey }) },
    ...OPTIONS,
  });
  await one.client.destinations.edit({ destinationId: destination.id, paused: false });
  const ids = await makeKeys(5);
  await until("a process waits for an answer", () => receiver.received.length > 0);
  await spawned.kill();
  await until(
    "every event has arrived",
    () => new Set(receiver.received.map(({ event }) => event.id)).size === ids.length,
  );
  receiver.stop();
});

test("two processes that judge the same window raise one alert", async () => {
  const [one, other] = services();
  const rules = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      one.client.alertRules.create({
        name: `nobody calls ${n}`,
        watch: { kind: "conversations" },
        agents: ["Nobody"],
        windowMinutes: 5,
        condition: { is: "below", value: 1 },
      }),
    ),
  );
  const alerts = await until("every rule has raised its alert", async () => {
    const list = (await other.client.alerts.list({ pageSize: 200 })).alerts;
    return list.length >= rules.length && list;
  });
  expect(alerts.map(({ alertRuleId }) => alertRuleId).toSorted()).toEqual(
    rules.map(({ alertRule }) => alertRule.id).toSorted(),
  );
  const { events } = await other.client.events.list({ type: "alert.raised", pageSize: 200 });
  expect(events).toHaveLength(rules.length);
});
