import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSqlite } from "../packages/server/src/stores/sqlite/sqlite.ts";
import { openIndexFile } from "../packages/server/src/traces/store/folder/index-file.ts";
import { conversation, sendSpans } from "./support/production.ts";
import { traceIdOf } from "./support/ingest.ts";
import { FOLDER_KEYS, oldFolders, unpackFolder } from "./support/old-folders.ts";
import { keySettings } from "./support/secret.ts";
import { startServer, type TestServer } from "./support/server.ts";
import { until } from "./support/until.ts";

const MIGRATIONS = join(import.meta.dirname, "../packages/server/migrations");

/** Folders whose spans do not name a version of the agent. */
const SPANS_WITHOUT_VERSION = ["0015-tests-of-runs", "0027-samples"];
/** Folders whose spans show no channel. */
const SPANS_WITHOUT_CHANNEL = [...SPANS_WITHOUT_VERSION, "0171-failed-deliveries"];
const endOf = ({ startedAt }: { startedAt: string }) => new Date(Date.parse(startedAt) + 3_600_000).toISOString();

describe.each(oldFolders())("the data folder of an earlier version, %s,", (name) => {
  const dataDir = mkdtempSync(join(tmpdir(), "svc-old-"));
  let server: TestServer;
  beforeAll(async () => {
    unpackFolder(name, dataDir);
    server = await startServer({ dataDir, settings: FOLDER_KEYS });
  });
  afterAll(async () => {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test("the data folder of an earlier version opens without a condition, and has a copy of its store unless it needed no migration", async () => {
    expect(await server.admin.conditions.list()).toEqual({ conditions: [] });
    const copies = readdirSync(dataDir).filter((file) => file.startsWith("relational.before-"));
    const isCurrent = readdirSync(MIGRATIONS).sort().at(-1) === `${name}.sql`;
    expect(copies).toHaveLength(isCurrent ? 0 : 1);
  });

  test("the data folder of an earlier version keeps its person, test, mock tool, agent and the sealed credential of its connection", async () => {
    const { client, url } = server;
    const [email, password] = FOLDER_KEYS.SVC_INIT_ADMIN.split(":");
    const reply = await fetch(`${url}/api/auth/sign-in/email`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email, password }),
    });
    expect(reply.status).toBe(200);
    const { items } = await client.tests.list({});
    expect(items).toMatchObject([{ name: "Moves an appointment", expected_behaviors: ["Confirms the new time."] }]);
    expect((await client.mockTools.list()).mockTools).toMatchObject([{ tool: "look_up", answer: { free: true } }]);
    const { agents } = await client.agents.list({});
    const { connections } = await client.connections.list({ agentId: agents[0]!.id });
    expect(connections).toMatchObject([{ name: "Chat", credentialsHint: "1234" }]);
    expect(await server.admin.organization.reseal()).toMatchObject({ unreadable: 0 });
  });

  test("the data folder of an earlier version keeps its conversation with every span and turn", async () => {
    await server.conversationsRead();
    const { traces } = await server.client.traces.list({});
    expect(traces).toMatchObject([{ conversationId: "job-1" }]);
    const trace = await server.client.traces.get({ traceId: traces[0]!.traceId });
    expect(JSON.stringify(trace)).toContain("I am fine.");
    expect(JSON.stringify(trace)).toContain("How are you?");
  });

  test("the data folder of an earlier version gets the versions of its agents, which its spans have had all the time", async () => {
    const version = SPANS_WITHOUT_VERSION.includes(name) ? null : "41";
    const { traces } = await server.client.traces.list({});
    expect(traces.map(({ agentVersion }) => agentVersion)).toEqual([version]);
    const { series } = await server.client.metrics.conversations({
      from: traces[0]!.startedAt,
      to: endOf(traces[0]!),
      byVersion: true,
    });
    expect(series).toMatchObject([{ agentVersion: version, conversations: 1 }]);
  });

  test("the data folder of an earlier version gets the channels of its conversations, even in the counts and the measures", async () => {
    const channel = SPANS_WITHOUT_CHANNEL.includes(name) ? null : "telephone";
    const { client } = server;
    const { traces } = await client.traces.list({});
    expect(traces.map((trace) => trace.channel)).toEqual([channel]);
    const query = { from: traces[0]!.startedAt, to: endOf(traces[0]!), channel: ["telephone" as const] };
    expect((await client.metrics.conversations(query)).conversations).toBe(channel === null ? 0 : 1);
    expect((await client.metrics.get(query)).series.length > 0).toBe(channel !== null);
  });

  test("the data folder of an earlier version loses the copy of its store when a conversation is deleted, because the copy may hold its texts", async () => {
    const { traces } = await server.client.traces.list({});
    await server.client.traces.delete({ traceId: traces[0]!.traceId });
    await until("the copy is gone", () => !readdirSync(dataDir).some((file) => file.startsWith("relational.before-")));
  });
});

test("an index of conversations of an earlier format is built again from the journal, and is no damage", async () => {
  const first = await startServer();
  const settings = keySettings(first);
  await sendSpans(first, first.client, conversation(1, "Your table is booked."));
  const read = (server: TestServer) => server.client.traces.get({ traceId: traceIdOf(1), wait: 30 });
  const before = await read(first);
  await first.close();

  const index = await openIndexFile(first.dataDir, (error) => {
    throw error;
  });
  await sql`UPDATE trace_index SET version = 1`.execute(index.db);
  await sql`UPDATE conversations SET transcript = 'of an earlier format'`.execute(index.db);
  await index.close();

  const second = await startServer({ dataDir: first.dataDir, settings });
  await second.spansLoaded();
  await second.conversationsRead();
  expect(await read(second)).toEqual(before);
  const found = async (search: string) => (await second.client.traces.list({ search })).traces.length;
  expect([await found("booked"), await found("bo"), await found("earlier format")]).toEqual([1, 1, 0]);
  expect(await second.admin.conditions.list()).toEqual({ conditions: [] });
  expect(readdirSync(first.dataDir).filter((file) => file.includes("damaged"))).toEqual([]);
  await second.stop();
  first.remove();
});

test("an upgrade of a data folder says once how many migrations it applied and where the copy is", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "svc-upgrade-"));
  const upgrades: unknown[] = [];
  const open = async () => openSqlite(dataDir, undefined, (upgrade) => upgrades.push(upgrade)).close();
  await open();
  expect(upgrades).toEqual([]);
  rmSync(dataDir, { recursive: true });
  mkdirSync(dataDir);
  unpackFolder(oldFolders()[0]!, dataDir);
  await open();
  await open();
  const [{ migrations, copy }] = upgrades as [{ migrations: number; copy: string }];
  expect(upgrades).toHaveLength(1);
  expect(migrations).toBeGreaterThan(0);
  expect(existsSync(copy)).toBe(true);
  rmSync(dataDir, { recursive: true });
});
