import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needsStoreFile } from "../support/engine.ts";
import { startServer } from "../support/server.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";
import { aConnection, freshName } from "../support/world.ts";
import { keySettings } from "../support/secret.ts";

let server: SharedServer;
beforeAll(async () => {
  server = await shareServer();
});
afterAll(() => server.stop());

const newAgent = async () => (await server.client.agents.register({ name: freshName("agent") })).agent;
const newConnection = async (agentId: string, name = freshName("connection")) =>
  (await server.client.connections.create({ agentId, ...aConnection(), name })).connection;
const expecting = (expectedRevision?: number) => (expectedRevision === undefined ? {} : { expectedRevision });

/** For each kind of record: how to create one, and the operations that change it. */
const KINDS = {
  agent: async () => {
    const { client } = server;
    const { id: agentId, revision } = await newAgent();
    return {
      revision,
      edit: async (name: string, revisionSeen?: number) =>
        (await client.agents.edit({ agentId, name, ...expecting(revisionSeen) })).agent,
      get: async () => (await client.agents.get({ agentId })).agent,
      archive: async () => void (await client.agents.archive({ agentId })),
      restore: async () => void (await client.agents.restore({ agentId })),
    };
  },
  connection: async () => {
    const { client } = server;
    const { id: agentId } = await newAgent();
    const { id: connectionId, revision } = await newConnection(agentId);
    const ids = { agentId, connectionId };
    return {
      revision,
      edit: async (name: string, revisionSeen?: number) =>
        (await client.connections.edit({ ...ids, name, ...expecting(revisionSeen) })).connection,
      get: async () => (await client.connections.get(ids)).connection,
      archive: async () => void (await client.connections.archive(ids)),
      restore: async () => void (await client.connections.restore(ids)),
    };
  },
};

describe.each(Object.entries(KINDS))("the revision of a record: %s", (noun, create) => {
  test("the revision of a record starts at 1 and grows with every change", async () => {
    const record = await create();
    expect(record.revision).toBe(1);
    expect((await record.edit(freshName("two"))).revision).toBe(2);
    await record.archive();
    expect((await record.get()).revision).toBe(3);
    await record.archive();
    expect((await record.get()).revision).toBe(3);
    await record.restore();
    expect((await record.get()).revision).toBe(4);
  });

  test("the revision of a record that an edit expects must be the current one; the refusal names both and holds the current record", async () => {
    const record = await create();
    const [two, three] = [freshName("two"), freshName("three")];
    await record.edit(two, 1);
    const current = await record.get();
    await expect(record.edit(three, 1)).rejects.toMatchObject({
      code: "version_conflict",
      details: { [noun]: { name: two }, expectedRevision: 1, currentRevision: 2, current },
    });
    expect(await record.get()).toMatchObject({ name: two, revision: 2 });
    expect(await record.edit(three)).toMatchObject({ name: three, revision: 3 });
  });

  test("the revision of a record lets exactly one of twenty simultaneous edits win", async () => {
    const record = await create();
    const names = Array.from({ length: 20 }, () => freshName("name"));
    const outcomes = await Promise.allSettled(names.map((name) => record.edit(name, 1)));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const outcome of outcomes)
      if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "version_conflict" });
    expect((await record.get()).revision).toBe(2);
  });
});

test("the revision of a connection grows with a new credential", async () => {
  const { id: agentId } = await newAgent();
  const { id: connectionId } = await newConnection(agentId);
  const credential = { apiKey: "another-key-5678" };
  expect((await server.client.connections.edit({ agentId, connectionId, credential })).connection.revision).toBe(2);
});

describe("the name of a connection", () => {
  test("the name of a connection is unique among the agent's live connections: create, edit and restore refuse it", async () => {
    const { id: agentId } = await newAgent();
    const { id: connectionId } = await newConnection(agentId, "Line");
    await expect(newConnection(agentId, " Line ")).rejects.toMatchObject({ code: "name_taken" });
    const other = await newConnection(agentId, "Other");
    const rename = (name: string) => server.client.connections.edit({ agentId, connectionId: other.id, name });
    await expect(rename("Line")).rejects.toMatchObject({ code: "name_taken" });

    await server.client.connections.archive({ agentId, connectionId });
    await rename("Line");
    const restore = () => server.client.connections.restore({ agentId, connectionId });
    await expect(restore()).rejects.toMatchObject({ code: "name_taken" });
    expect((await server.client.connections.get({ agentId, connectionId })).connection.archived).toBe(true);
    await rename("Other again");
    expect((await restore()).connection).toMatchObject({ name: "Line", archived: false });
  });

  test("the name of a connection may be the name of another agent's connection", async () => {
    for (const { id } of [await newAgent(), await newAgent()])
      expect((await newConnection(id, "Line")).name).toBe("Line");
  });

  test("the name of a connection is given to exactly one of twenty simultaneous requests", async () => {
    const { id: agentId } = await newAgent();
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => newConnection(agentId, "Line")));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const outcome of outcomes)
      if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "name_taken" });
  });

  test("the name of a connection is its type's name by default, with a number when it is taken", async () => {
    const { id: agentId } = await newAgent();
    const create = async () => (await server.client.connections.create({ agentId, ...aConnection() })).connection;
    const [first, second, third] = [await create(), await create(), await create()];
    expect(first.name).toBe(first.productLabel);
    expect([second.name, third.name]).toEqual([`${first.name} 2`, `${first.name} 3`]);
  });
});

test("a data folder with several connections of one name starts: the oldest keeps the name and the others get another", async (context) => {
  needsStoreFile(context);
  const NAMES = ["Line", "Line", "Line (2)", "Line", "Line (2)", "Quiet", "x".repeat(200), "x".repeat(200)];
  const dataDir = mkdtempSync(join(tmpdir(), "svc-names-"));
  const before = await startServer({ dataDir });
  const { agent } = await before.client.agents.register({ name: "Desk" });
  const ids: string[] = [];
  for (const number of NAMES.keys()) {
    const wanted = { agentId: agent.id, ...aConnection(), name: `made ${number}` };
    ids.push((await before.client.connections.create(wanted)).connection.id);
  }
  await before.close();
  undoRevisions(join(dataDir, "relational.db"), (db) => {
    const rename = db.prepare("UPDATE connections SET name = ? WHERE id = ?");
    for (const [number, name] of NAMES.entries()) rename.run(name, ids[number]);
  });

  const settings = keySettings(before);
  const after = await startServer({ dataDir, settings });
  const { connections } = await after.client.connections.list({ agentId: agent.id });
  const names = ids.map((id) => connections.find((connection) => connection.id === id)!.name);
  expect(new Set(names).size).toBe(NAMES.length);
  for (const [number, name] of names.entries()) {
    const isOldest = NAMES.indexOf(NAMES[number]!) === number;
    expect(isOldest ? name : name.slice(0, NAMES[number]!.length)).toBe(NAMES[number]);
  }
  expect(connections.every(({ revision }) => revision === 1)).toBe(true);
  await after.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Changes the relational store back to the state before revisions existed, and then changes its rows. */
function undoRevisions(path: string, change: (db: Database.Database) => void): void {
  const migration = readdirSync("packages/server/migrations").find((name) => name.endsWith("-revisions.sql"));
  const db = new Database(path);
  db.exec("DROP INDEX connection_names");
  for (const table of ["agents", "connections"]) db.exec(`ALTER TABLE ${table} DROP COLUMN revision`);
  db.prepare("DELETE FROM migrations WHERE name = ?").run(migration);
  change(db);
  db.close();
  rmSync(path.replace(/db$/, "checksums"), { force: true });
}
