import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createClient } from "@clickhouse/client";
import Database from "better-sqlite3";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  backupDataFolder,
  checkDataFolder,
  copyDatabases,
  moveDataFolder,
} from "../../packages/server/src/operations/data-folder/data-folder.ts";
import { tablesToCopy } from "../../packages/server/src/stores/copied-rows.ts";
import { openPostgres } from "../../packages/server/src/stores/postgres/postgres.ts";
import { createDecoder } from "../../packages/server/src/traces/otlp/decoder.ts";
import { SpanBatch } from "../../packages/server/src/traces/span-batch.ts";
import { openMovedSpans } from "../../packages/server/src/traces/store/open.ts";
import { fillFolder, type FullFolder, RECORDED, type Target } from "../support/full-folder.ts";
import { requestOf, spanOf } from "../support/ingest.ts";
import { encodeProtobuf } from "../support/otlp.ts";
import { send } from "../support/request.ts";
import { newSecret } from "../support/secret.ts";
import { until } from "../support/until.ts";

const PROGRAM = fileURLToPath(new URL("../../packages/cli/bin/svc.js", import.meta.url));
const OBJECT_STORE = JSON.parse(process.env.SPEC_S3_SETTINGS!) as Record<string, string>;

let folder: string;
let full: FullFolder;
/** The databases into which the folder was moved. A service has run on these databases. */
let source: Target;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-back-"));
  full = await fillFolder(folder);
  source = await full.newTarget();
  await full.move(source);
  const service = await full.startOn(source);
  await until("the recordings are in the object store", () => filesIn(recordingsOf(source)).length === 0);
  await service.conversationsRead();
  await service.stop();
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const recordingsOf = ({ recordingsTo }: Target) => join(recordingsTo, "process", "recordings");
const filesIn = (path: string) => readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isFile());
const newFolder = () => join(mkdtempSync(join(folder, "back-")), "data");

type Options = { inBucket?: "copy" | "keep"; waitingIn?: string[]; environment?: Record<string, string> };

const copy = (
  dataDir: string,
  { databaseUrl, clickHouseUrl }: Pick<Target, "databaseUrl" | "clickHouseUrl">,
  { inBucket = "copy", waitingIn = [], environment = {} }: Options = {},
  progress: (text: string) => void = () => undefined,
) =>
  copyDatabases(
    dataDir,
    { databaseUrl, clickHouseUrl, inBucket, waitingIn },
    { ...full.secrets, ...OBJECT_STORE, ...environment },
    progress,
  );

/** Returns every row of the tables that a move copies, and SQLite's counters for row numbers. */
function rowsOf(dataDir: string): Record<string, unknown[]> {
  const engine = new Database(join(dataDir, "relational.db"), { readonly: true });
  const tables = [...tablesToCopy(engine), "sqlite_sequence"];
  const rows = tables.map((table) => {
    const all = engine.prepare(`SELECT * FROM "${table}"`).all();
    return [table, all.map((row) => JSON.stringify(row)).sort()] as const;
  });
  engine.close();
  return Object.fromEntries(rows);
}

/** Returns everything that the databases contain. */
async function contentOf({ databaseUrl, clickHouseUrl }: Target): Promise<Record<string, unknown>> {
  const { db, close } = await openPostgres(databaseUrl);
  const { rows: tables } = await sql<{ name: string }>`
    SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema() ORDER BY 1`.execute(
    db,
  );
  const content: Record<string, unknown> = {};
  for (const { name } of tables) {
    const { rows } = await sql`SELECT t::text AS row FROM ${sql.table(name)} t ORDER BY 1`.execute(db);
    content[name] = rows;
  }
  await close();
  const url = new URL(clickHouseUrl);
  const client = createClient({ url: url.origin });
  for (const name of ["spans", "readings"]) {
    const query = `SELECT * FROM ${url.pathname.slice(1)}.${name} ORDER BY ALL`;
    const found = await client.query({ query, format: "JSONCompactEachRow" });
    content[`${name} of ClickHouse`] = await found.json();
  }
  await client.close();
  return content;
}

test("a service on the new folder answers every read as the first one did, and the databases stay as they are", async () => {
  const dataDir = newFolder();
  const content = await contentOf(source);
  const copied = await copy(dataDir, source);
  expect(copied.differences).toEqual([]);
  expect(copied).toMatchObject({ unread: 0, recordings: { kept: 0, lost: 0 } });
  expect(copied.recordings.copied).toBeGreaterThan(0);
  expect(copied.counts.filter(({ name }) => name.startsWith("conversations of"))[0]!.folder).toBeGreaterThan(5);
  expect(await contentOf(source)).toEqual(content);
  const checks = await checkDataFolder(dataDir, {});
  expect(checks.filter(({ state }) => state !== "ok")).toEqual([]);
  await full.expectEqualAnswers(await full.startOnFolder(dataDir));
  await expect(copy(dataDir, source)).rejects.toThrow("is not empty");
}, 300_000);

test("the rows of a folder that moves to databases and back are the same, and it moves again", async () => {
  const target = await full.newTarget();
  await full.move(target);
  const dataDir = newFolder();
  const waitingIn = [target.recordingsTo];
  await copy(dataDir, target, { waitingIn });
  expect(rowsOf(dataDir)).toEqual(rowsOf(full.dataDir));
  const again = await full.newTarget();
  const moved = await full.move(again, dataDir);
  expect(moved.differences).toEqual([]);
  await full.expectEqualAnswers(await full.startOn(again));
}, 300_000);

test("new rows get numbers after those that the databases gave, and conversations can be deleted", async () => {
  const dataDir = newFolder();
  await copy(dataDir, source);
  const service = await full.startOnFolder(dataDir);
  await service.admin.projects.create({ name: "After the move" });
  await service.client.traces.delete({ traceId: RECORDED });
  await expect(service.client.traces.get({ traceId: RECORDED })).rejects.toThrow("Nothing exists here");
  await service.stop();
}, 120_000);

test("recordings stay in the object store when the command says so, and a service with the settings of the store answers them", async () => {
  const dataDir = newFolder();
  const copied = await copy(dataDir, source, { inBucket: "keep" });
  expect(copied).toMatchObject({ differences: [], recordings: { copied: 0, lost: 0 } });
  expect(copied.recordings.kept).toBeGreaterThan(0);
  await full.expectEqualAnswers(await full.startOnFolder(dataDir, OBJECT_STORE));
}, 120_000);

test("a copy that is killed at any moment and repeated gives the same", async () => {
  const dataDir = newFolder();
  const first = startProgram(dataDir);
  const ended = once(first, "exit");
  await until("the copy begins", () => existsSync(dataDir) && readdirSync(dataDir).length > 1);
  first.kill("SIGKILL");
  await ended;
  for (let pauseMs = 700; pauseMs < 3_000; pauseMs += 400) {
    await expect(full.startOnFolder(dataDir)).rejects.toThrow("holds a part of the databases");
    await expect(backupDataFolder(dataDir, newFolder(), () => undefined)).rejects.toThrow(
      "holds a part of the databases",
    );
    const checks = await checkDataFolder(dataDir, {});
    expect(checks.find(({ name }) => name === "data folder")).toMatchObject({
      state: "wrong",
      finding: expect.stringContaining("a part of the databases"),
    });
    const child = startProgram(dataDir);
    const isOver = once(child, "exit");
    await Promise.race([isOver, delay(pauseMs)]);
    child.kill("SIGKILL");
    await isOver;
    if (existsSync(join(dataDir, "unfinished-move"))) continue;
    rmSync(dataDir, { recursive: true });
    break;
  }
  const last = startProgram(dataDir, "pipe");
  const [said, [exitCode]] = await Promise.all([last.stdout!.toArray(), once(last, "exit")]);
  expect([Buffer.concat(said).toString(), exitCode]).toEqual([expect.stringContaining(`All is in ${dataDir}`), 0]);
  await full.expectEqualAnswers(await full.startOnFolder(dataDir));
}, 300_000);

function startProgram(dataDir: string, stdout: "ignore" | "pipe" = "ignore") {
  const { databaseUrl, clickHouseUrl } = source;
  return spawn(
    process.execPath,
    [PROGRAM, "migrate", "--to", "folder", "--data-dir", dataDir, "--recordings", "copy"],
    {
      env: {
        PATH: process.env.PATH,
        ...full.secrets,
        ...OBJECT_STORE,
        SVC_DATABASE_URL: databaseUrl,
        SVC_CLICKHOUSE_URL: clickHouseUrl,
      },
      stdio: ["ignore", stdout, "inherit"],
    },
  );
}

test("a copy shows rows that were added meanwhile, and leaves a folder that no service uses", async () => {
  const target = await full.newTarget();
  await full.move(target);
  const { db, close } = await openPostgres(target.databaseUrl);
  const dataDir = newFolder();
  let added: Promise<unknown> | undefined;
  const copied = await copy(dataDir, target, { waitingIn: [target.recordingsTo] }, (text) => {
    if (text.startsWith("Writing spans")) added ??= addUser(db);
  });
  await added;
  await close();
  expect(copied.differences).toEqual([
    expect.stringMatching(/^rows of users: \d+ in the folder, \d+ in the databases$/),
  ]);
  await expect(full.startOnFolder(dataDir)).rejects.toThrow("holds a part of the databases");
}, 120_000);

const addUser = (db: Awaited<ReturnType<typeof openPostgres>>["db"]) =>
  sql`INSERT INTO users SELECT 'usr_meanwhile', name, 'meanwhile@acme.test', email_verified, address, created_at, updated_at
    FROM users LIMIT 1`.execute(db);

test("a copy compares the sums alone of conversations that the databases have not read, and finds other counts", async () => {
  const target = await full.newTarget();
  await full.move(target);
  const { db, close } = await openPostgres(target.databaseUrl);
  await sql`UPDATE conversations SET read_change = NULL, turns = NULL WHERE trace_id = ${RECORDED}`.execute(db);
  const options = { waitingIn: [target.recordingsTo] };
  expect(await copy(newFolder(), target, options)).toMatchObject({ unread: 1, differences: [] });
  await sql`UPDATE conversations SET tool_calls = tool_calls + 1 WHERE reading = (SELECT max(reading) FROM conversations)`.execute(
    db,
  );
  await close();
  const { differences } = await copy(newFolder(), target, options);
  expect(differences).toEqual([expect.stringMatching(/the conversation of trace [0-9a-f]{32} has .*"toolCalls":/)]);
}, 120_000);

test("spans of a process that was killed before its answer differ until their conversations are derived again", async () => {
  const target = await full.newTarget();
  await full.move(target);
  const { db, close } = await openPostgres(target.databaseUrl);
  const spans = await openMovedSpans(target.clickHouseUrl, db);
  const batch = new SpanBatch();
  const body = encodeProtobuf(requestOf([spanOf(78, 3)]));
  createDecoder().decodeProtobuf(body, batch, { project: 1, receivedMs: 0, lsn: Date.now() * 1000 });
  await spans.store(batch);
  await spans.close();
  await close();
  const options = { waitingIn: [target.recordingsTo] };
  const { differences } = await copy(newFolder(), target, options);
  expect(differences).toHaveLength(2);
  const service = await full.startOn(target);
  await service.client.traces.remap({ all: true });
  await service.conversationsRead();
  await service.stop();
  expect((await copy(newFolder(), target, options)).differences).toEqual([]);
}, 120_000);

test("a recording that the move finds nowhere is marked as lost", async () => {
  const target = await full.newTarget();
  await full.move(target);
  const dataDir = newFolder();
  const copied = await copy(dataDir, target, { waitingIn: [newFolder()] });
  expect(copied.recordings).toMatchObject({ copied: 0, kept: 0 });
  expect(copied.recordings.lost).toBeGreaterThan(0);
  const service = await full.startOnFolder(dataDir);
  const { status } = await send(service.url, {
    method: "GET",
    path: `/v1/traces/${RECORDED}/recording`,
    key: service.projectKey,
  });
  expect(status).toBe(404);
  await service.stop();
}, 120_000);

test("a copy refuses databases that a service uses", async () => {
  const target = await full.newTarget();
  await full.move(target);
  const service = await full.startOn(target);
  const refused = () => copy(newFolder(), target, { waitingIn: [target.recordingsTo] });
  await until("the service listens to the database", () =>
    refused().then(
      () => false,
      ({ message }: Error) => message === "A service runs on the databases. Stop all of its processes.",
    ),
  );
  await service.stop();
  expect((await refused()).differences).toEqual([]);
}, 120_000);

test("a copy refuses databases that hold a part of a folder, or nothing", async () => {
  const target = await full.newTarget();
  const refusal = await copy(newFolder(), target).catch(({ message }: Error) => message);
  expect(refusal).toMatch(
    /^PostgreSQL refuses or does not answer: it holds no data of a service\. Check SVC_DATABASE_URL/,
  );
  const stopped = moveDataFolder(full.dataDir, target, full.secrets, (text) => {
    if (text.startsWith("Reading")) throw new Error("stopped");
  });
  await expect(stopped).rejects.toThrow("stopped");
  await expect(copy(newFolder(), target)).rejects.toThrow("hold a part of a data folder");
}, 60_000);

test("a copy refuses databases of an earlier version, and conversations that an earlier version has derived", async () => {
  const target = await full.newTarget();
  await full.move(target);
  const { db, close } = await openPostgres(target.databaseUrl);
  await sql`UPDATE conversations SET mapping_version = mapping_version - 1`.execute(db);
  await expect(copy(newFolder(), target)).rejects.toThrow(
    /^An earlier version has derived the turns of \d+ conversations\..*svc traces remap/s,
  );
  await sql`DELETE FROM migrations WHERE name = '0071-moved-folder.sql'`.execute(db);
  await expect(copy(newFolder(), target)).rejects.toThrow("start this version on the databases once");
  await close();
}, 60_000);

test("a copy names what it lacks: a folder, secrets, recordings, the object store, a database", async () => {
  const used = newFolder();
  mkdirSync(used);
  writeFileSync(join(used, "notes.txt"), "mine");
  await expect(copy(used, source)).rejects.toThrow(`${used} is not empty. Name a new folder with --data-dir.`);
  const dataDir = newFolder();
  const environment = { ...full.secrets, ...OBJECT_STORE };
  const { databaseUrl, clickHouseUrl } = source;
  const bare = { databaseUrl, clickHouseUrl, inBucket: undefined, waitingIn: [] };
  const bareCopy = (own: Record<string, string>) => copyDatabases(dataDir, bare, own, () => undefined);
  await expect(bareCopy({ SVC_AUTH_SECRET: full.secrets.SVC_AUTH_SECRET })).rejects.toThrow(
    "Set SVC_ENCRYPTION_KEY and",
  );
  await expect(bareCopy({ ...environment, SVC_ENCRYPTION_KEY: newSecret() })).rejects.toThrow(
    /^SVC_ENCRYPTION_KEY does not open \d+ stored credential/,
  );
  await expect(bareCopy(environment)).rejects.toThrow(/An object store holds \d+ recordings\. Add `--recordings copy`/);
  const kept = copyDatabases(dataDir, { ...bare, inBucket: "keep" }, full.secrets, () => undefined);
  await expect(kept).rejects.toThrow("Set SVC_S3_ENDPOINT");
  const away = { SVC_S3_ENDPOINT: "http://127.0.0.1:9" };
  await expect(copy(dataDir, source, { environment: away })).rejects.toThrow("Check SVC_S3_ENDPOINT");
  const waiting = await full.newTarget();
  await full.move(waiting);
  await expect(copy(dataDir, waiting)).rejects.toThrow(/^\d+ recordings wait.*--recordings-from/s);
  const hidden = { databaseUrl: "postgresql://svc:hidden@127.0.0.1:9/svc", clickHouseUrl };
  const refusal = await copy(dataDir, hidden).catch(({ message }: Error) => message);
  expect(refusal).toMatch(/^PostgreSQL refuses or does not answer: .*Check SVC_DATABASE_URL/s);
  expect(refusal).not.toContain("hidden");
  await expect(copy(dataDir, { databaseUrl, clickHouseUrl: "http://127.0.0.1:9/svc" })).rejects.toThrow(
    "Check SVC_CLICKHOUSE_URL",
  );
  expect(existsSync(dataDir)).toBe(false);
  expect(readFileSync(join(used, "notes.txt"), "utf8")).toBe("mine");
}, 120_000);
