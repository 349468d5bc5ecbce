import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pages } from "@svc/sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPostgres } from "../../packages/server/src/stores/postgres/postgres.ts";
import { openFakePlatformA, type FakePlatformA } from "../support/platform-a/fake.ts";
import { callBefore, idsOf } from "../support/monitoring.ts";
import { FAST } from "../support/monitoring-pace.ts";
import type { TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { openProcesses, type Processes } from "./processes.ts";
import { spawnService, type Spawned } from "./spawned.ts";
import { keySettings } from "../support/secret.ts";

const AGENTS = ["agent_a", "agent_b", "agent_c", "agent_d"];
const PACE = { ...FAST, leaseMs: 1_000, replayLeaseMs: 1_000, pageCalls: 5 };

let fake: FakePlatformA;
let processes: Processes;
let spawned: Spawned | undefined;
const folder = mkdtempSync(join(tmpdir(), "svc-spec-"));
const settings = () => ({ SVC_PLATFORM_A_BASE_URL: fake.url });
beforeAll(async () => {
  fake = await openFakePlatformA();
  for (const id of AGENTS) fake.addAgent(id, `Desk ${id}`);
  processes = await openProcesses(2, { settings: settings(), pace: PACE });
});
afterAll(async () => {
  await spawned?.kill();
  await processes.stop();
  await fake.close();
  rmSync(folder, { recursive: true });
});

async function conversationsOf({ client, spansLoaded }: TestServer): Promise<string[]> {
  await spansLoaded();
  const names: string[] = [];
  for await (const { conversationId } of pages(client.traces.list, { pageSize: 200 })) names.push(conversationId!);
  return names;
}

const callsOf = (count: number) =>
  Array.from({ length: count }, (_, n) => callBefore(30 + n, { agentId: AGENTS[n % AGENTS.length]! }));

test("several processes share the imports of a setup, and each call is imported once", async () => {
  const calls = callsOf(60);
  fake.addCalls(calls);
  const [one, other] = processes.services as [TestServer, TestServer];
  await one.client.monitoring.savePlatformA({ api_key: fake.apiKey, agents: AGENTS.map((id) => ({ id })) });
  const imported = await until(
    "all calls are imported",
    async () => {
      const conversations = await conversationsOf(other);
      return conversations.length >= calls.length && conversations;
    },
    100_000,
  );
  expect(imported.sort()).toEqual(idsOf(calls));
});

test("another process imports the calls that a killed process had leased", async () => {
  const [one] = processes.services as [TestServer, TestServer];
  const { adminKey, projectKey } = one;
  spawned = await spawnService({
    dataDir: folder,
    databases: processes.databases,
    settings: { ...settings(), ...keySettings({ adminKey, projectKey }) },
    pace: PACE,
  });
  fake.addCalls(callsOf(40));
  await until("some are imported", async () => (await conversationsOf(one)).length > 60);
  await spawned.kill();
  const { db, close } = await openPostgres(processes.databaseUrl);
  await until(
    "the others have imported the rest",
    async () => {
      const imported = await db.selectFrom("imported_calls").select("call_id").execute();
      return new Set(imported.map(({ call_id }) => call_id)).size === 100;
    },
    100_000,
  );
  await close();
  const { setups } = await one.client.monitoring.list();
  expect(setups.flatMap(({ agents }) => agents.flatMap(({ failures }) => failures))).toEqual([]);
});
