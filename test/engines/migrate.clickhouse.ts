import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { allOperations } from "@svc/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { moveDataFolder } from "../../packages/server/src/data-folder/data-folder.ts";
import { openPostgres } from "../../packages/server/src/stores/postgres.ts";
import { requestsOf } from "../support/captures.ts";
import { clickHouseOf, databaseOf } from "../support/engine.ts";
import { INPUTS, type OperationName } from "../support/operation-inputs.ts";
import { useEveryOperation } from "../support/every-operation.ts";
import { requestOf, spanOf, traceIdOf } from "../support/ingest.ts";
import { askOf } from "../support/operation-request.ts";
import { attribute, encodeProtobuf } from "../support/otlp.ts";
import { recordedWav } from "../support/recorded-wav.ts";
import { type Ask, send } from "../support/request.ts";
import { newSecret } from "../support/secret.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { flip } from "../support/store-folder.ts";
import { openWorld } from "../support/world.ts";

const PROGRAM = fileURLToPath(new URL("../../packages/cli/bin/svc.js", import.meta.url));
const SETS = [
  "js-1.9.0-voice",
  "py-1.8.9-voice",
  "pipecat-1.14.0-call",
  "gen-ai-openai-2.4b0-text",
  "js-1.9.0-voice-json",
];
const SOUND = recordedWav(500, [{ fromMs: 0, toMs: 400, level: 0.5 }], []);
const DELETED = 77;

/** Operations whose answers are not those of the stored data, each with the reason. */
const OTHER_ANSWERS: Record<string, string> = {
  "service.get": "it shows the settings and the rate limit of this process",
  "conditions.list": "conditions are of a process",
  "changes.stream": "it does not end",
  "exports.file": "the rows of a Parquet file have another order",
  "identity.get": "it shows the last use of the key",
  "keys.list": "it shows the last use of each key",
  "monitoring.list": "the service polls on, and the platform of this spec has ended",
};

/** Answers without a period are about the time before the request. */
const DAY_MS = 24 * 60 * 60 * 1000;
const PERIOD = {
  from: new Date(Date.now() - 6 * DAY_MS).toISOString(),
  to: new Date(Date.now() + DAY_MS).toISOString(),
};

let folder: string;
/** The data folder after its service has stopped. */
let dataDir: string;
let keys: { adminKey: string; projectKey: string };
let asks: { name: string; ask: Ask & { key: string } }[];
let before: Map<string, string>;
let secrets: { SVC_ENCRYPTION_KEY: string; SVC_AUTH_SECRET: string };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-move-"));
  dataDir = join(folder, "data");
  const world = await openWorld((options) => startServer({ ...options, dataDir, isEmbedded: true }));
  const { client, url } = world;
  keys = world;
  await useEveryOperation(world);
  for (const body of SETS.flatMap(requestsOf)) await client.traces.ingest(body);
  const spans = (trace: number) =>
    [1, 2].map((n) => spanOf(trace, n, { attributes: [attribute("lk.job_id", `job-${trace}`)] }));
  for (const trace of [DELETED, 78])
    await client.traces.ingest({
      body: encodeProtobuf(requestOf(spans(trace))),
      contentType: "application/x-protobuf",
    });
  await client.traces.ingest({
    body: encodeProtobuf(requestOf([...spans(DELETED + 100), ...spans(DELETED + 101)])),
    contentType: "application/x-protobuf",
  });
  await world.conversationsRead();
  for (const trace of [DELETED, DELETED + 100]) await client.traces.delete({ traceId: traceIdOf(trace) });
  await world.keepRecording({ projectId: world.project.id, simulationId: traceIdOf(78), bytes: SOUND });
  await world.conversationsRead();
  asks = await asksOf(world);
  await delay(1_000);
  before = await answersOf(url);
  await world.stop();
  secrets = {
    SVC_ENCRYPTION_KEY: readFileSync(join(dataDir, "encryption-key"), "utf8").trim(),
    SVC_AUTH_SECRET: readFileSync(join(dataDir, "auth-secret"), "utf8").trim(),
  };
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns a request of every GET operation, and of every conversation. */
async function asksOf(world: Awaited<ReturnType<typeof openWorld>>) {
  expect(allOperations.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(OTHER_ANSWERS)));
  const all: typeof asks = [];
  for (const { name, operation } of allOperations) {
    if (operation.method !== "GET" || operation.credential === "public" || name in OTHER_ANSWERS) continue;
    if (operation.tag === "Accounts" && operation.credential !== "any") continue;
    const input = await INPUTS[name as OperationName](world);
    const ask = askOf(operation, { project: world.project.id, projectId: world.project.id, ...PERIOD, ...input });
    all.push({ name, ask: { ...ask, key: world.adminKey } });
  }
  const { traces } = await world.client.traces.list({ pageSize: 200 });
  for (const { traceId } of traces)
    for (const path of [`/v1/traces/${traceId}`, `/v1/traces/${traceId}/grades`])
      all.push({ name: path, ask: { method: "GET", path, key: world.projectKey } });
  return all;
}

async function answersOf(url: string): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  for (const { name, ask } of asks) {
    let reply = await send(url, ask);
    // A recording moves to the object store at this moment.
    for (let repeats = 0; reply.status === 503 && repeats < 20; repeats++) {
      await delay(100);
      reply = await send(url, ask);
    }
    const { status, text } = reply;
    answers.set(`${name} ${ask.path}`, `${status} ${text}`);
  }
  return answers;
}

/** Returns addresses of empty databases, and a folder for the service on them. */
async function newTarget() {
  const home = mkdtempSync(join(folder, "target-"));
  return { databaseUrl: (await databaseOf(home))!, clickHouseUrl: (await clickHouseOf(home))!, recordingsTo: home };
}
type Target = Awaited<ReturnType<typeof newTarget>>;

const move = (target: Target, source = dataDir, environment: Record<string, string> = secrets) =>
  moveDataFolder(source, target, environment, () => undefined);

const startOn = ({ recordingsTo }: Target): Promise<TestServer> =>
  startServer({
    dataDir: recordingsTo,
    settings: {
      ...secrets,
      SVC_INIT_API_KEY: keys.adminKey,
      SVC_INIT_PROJECT_API_KEY: keys.projectKey,
      SVC_TRUST_PROXY: "true",
      SVC_OPEN_SIGNUP: "true",
    },
  });

async function expectEqualAnswers(target: Target): Promise<void> {
  const service = await startOn(target);
  const after = await answersOf(service.url);
  await service.stop();
  for (const [name, answer] of before) expect.soft(after.get(name), name).toBe(answer);
}

/** Returns the sizes and times of the files that hold the folder's data. */
const filesOf = (from: string) =>
  (readdirSync(from, { recursive: true }) as string[])
    .filter((name) => name !== "lock.db")
    .sort()
    .map((name) => [name, statSync(join(from, name)).size, statSync(join(from, name)).mtimeMs]);

test("a service on the databases answers every read as it did on the folder, which stays as it is", async () => {
  const target = await newTarget();
  const files = filesOf(dataDir);
  const moved = await move(target);
  expect(moved.differences).toEqual([]);
  expect(moved).toMatchObject({ wasFinished: false, unreadableRecords: 0, finishedAt: expect.any(String) });
  expect(moved.counts.filter(({ name }) => name.startsWith("conversations of"))[0]!.databases).toBeGreaterThan(5);
  expect(filesOf(dataDir)).toEqual(files);
  expect([...before.values()].filter((answer) => answer.startsWith("200")).length).toBeGreaterThan(50);
  await expectEqualAnswers(target);
  expect(await move(target)).toMatchObject({ wasFinished: true, counts: [], recordings: { copied: 0 } });
  await expectEqualAnswers(target);
}, 300_000);

test("new rows get numbers after those that the folder gave", async () => {
  const target = await newTarget();
  await move(target);
  const service = await startOn(target);
  const { project } = await service.admin.projects.create({ name: "After the move" });
  const { secret } = await service.admin.keys.create({ project_id: project.id });
  expect((await service.clientOf(secret).traces.list({})).traces).toEqual([]);
  await service.client.traces.delete({ traceId: traceIdOf(78) });
  await service.stop();
}, 120_000);

test("a move that is killed at any moment and repeated gives the same", async () => {
  const target = await newTarget();
  let kills = 0;
  for (let pauseMs = 700; kills < 6; pauseMs += 400) {
    const child = startProgram(target);
    const ended = once(child, "exit");
    const isOver = await Promise.race([ended.then(() => true), delay(pauseMs, false)]);
    if (isOver) break;
    child.kill("SIGKILL");
    await ended;
    kills++;
    const { db, close } = await openPostgres(target.databaseUrl);
    const begun = await db.selectFrom("moved_folders").select("finished_at").executeTakeFirst();
    await close();
    if (begun?.finished_at === null) await expect(startOn(target)).rejects.toThrow("hold a part of a data folder");
  }
  expect(kills).toBeGreaterThan(1);
  const last = startProgram(target, "pipe");
  const [said, [exitCode]] = await Promise.all([last.stdout!.toArray(), once(last, "exit")]);
  expect([Buffer.concat(said).toString(), exitCode]).toEqual([
    expect.stringMatching(/All is moved|was moved to these databases/),
    0,
  ]);
  await expectEqualAnswers(target);
}, 300_000);

function startProgram(target: Target, stdout: "ignore" | "pipe" = "ignore") {
  const args = ["migrate", "--to", "databases", "--data-dir", dataDir, "--recordings-to", target.recordingsTo];
  const { databaseUrl, clickHouseUrl } = target;
  return spawn(process.execPath, [PROGRAM, ...args], {
    env: { PATH: process.env.PATH, ...secrets, SVC_DATABASE_URL: databaseUrl, SVC_CLICKHOUSE_URL: clickHouseUrl },
    stdio: ["ignore", stdout, "inherit"],
  });
}

test("a folder that changed after an interrupted move is moved whole", async () => {
  const target = await newTarget();
  const copy = join(mkdtempSync(join(folder, "copy-")), "data");
  cpSync(dataDir, copy, { recursive: true, preserveTimestamps: true });
  const stopped = moveDataFolder(copy, target, secrets, (text) => {
    if (text.startsWith("Reading")) throw new Error("stopped");
  });
  await expect(stopped).rejects.toThrow("stopped");
  const settings = {
    SVC_INIT_API_KEY: keys.adminKey,
    SVC_INIT_PROJECT_API_KEY: keys.projectKey,
    SVC_OPEN_SIGNUP: "true",
  };
  const service = await startServer({ dataDir: copy, isEmbedded: true, settings });
  await service.client.suites.create({ name: "Made after the interruption" });
  await service.client.traces.delete({ traceId: traceIdOf(78) });
  await service.stop();
  const moved = await move(target, copy);
  expect(moved.differences).toEqual([]);
  const onDatabases = await startOn(target);
  expect((await onDatabases.client.suites.list({})).testSuites.map(({ name }) => name)).toContain(
    "Made after the interruption",
  );
  await expect(onDatabases.client.traces.get({ traceId: traceIdOf(78) })).rejects.toThrow("Nothing exists here");
  await onDatabases.stop();
  const again = await startServer({ dataDir: copy, isEmbedded: true, settings });
  await again.client.suites.create({ name: "Made after the move" });
  await again.stop();
  await expect(move(target, copy)).rejects.toThrow("has changed since");
}, 180_000);

test("a move refuses databases with other data", async () => {
  const target = await newTarget();
  await (await startServer({ dataDir: target.recordingsTo })).stop();
  await expect(move(target)).rejects.toThrow("The databases are not empty: the table");
}, 60_000);

test("a move refuses databases that another folder was moved to", async () => {
  const target = await newTarget();
  const other = join(mkdtempSync(join(folder, "other-")), "data");
  await (await startServer({ dataDir: other, isEmbedded: true })).stop();
  const own = {
    SVC_ENCRYPTION_KEY: readFileSync(join(other, "encryption-key"), "utf8").trim(),
    SVC_AUTH_SECRET: readFileSync(join(other, "auth-secret"), "utf8").trim(),
  };
  expect((await move(target, other, own)).differences).toEqual([]);
  await expect(move(target)).rejects.toThrow("another data folder was moved there");
}, 60_000);

test("a move refuses a damaged folder and says what to do", async () => {
  const target = await newTarget();
  const copy = join(mkdtempSync(join(folder, "damaged-")), "data");
  cpSync(dataDir, copy, { recursive: true });
  const recordings = readdirSync(join(copy, "recordings")).filter((name) => name !== "incoming");
  rmSync(join(copy, "recordings", recordings[0]!));
  await expect(move(target, copy)).rejects.toThrow(/recordings: 1 of \d+ files are missing.*svc restore/);
  flip(join(copy, "relational.db"), 0.5, 1);
  await expect(move(target, copy)).rejects.toThrow(/relational store: .*svc restore/s);
  const other = join(mkdtempSync(join(folder, "damaged-")), "data");
  cpSync(dataDir, other, { recursive: true });
  const [segment] = readdirSync(join(other, "journal")).filter((name) => name.endsWith(".journal"));
  flip(join(other, "journal", segment!), 0.2, 1);
  await expect(move(target, other)).rejects.toThrow(/hold no readable record.*svc restore/);
});

test("a move names the database that does not answer, without its password", async () => {
  const target = await newTarget();
  const away = { ...target, databaseUrl: "postgresql://svc:hidden@127.0.0.1:9/svc" };
  const refusal = await move(away).catch((error: Error) => error.message);
  expect(refusal).toMatch(
    /^PostgreSQL refuses or does not answer: .*Check SVC_DATABASE_URL, and repeat the command\.$/s,
  );
  expect(refusal).not.toContain("hidden");
  await expect(move({ ...target, clickHouseUrl: "http://127.0.0.1:9/svc" })).rejects.toThrow(
    "Check SVC_CLICKHOUSE_URL",
  );
});

test("a move refuses secrets that are not the folder's, and says where they are", async () => {
  const target = await newTarget();
  await expect(move(target, dataDir, { SVC_AUTH_SECRET: secrets.SVC_AUTH_SECRET })).rejects.toThrow(
    `SVC_ENCRYPTION_KEY to the content of ${join(dataDir, "encryption-key")}`,
  );
  const wrong = { ...secrets, SVC_ENCRYPTION_KEY: newSecret() };
  await expect(move(target, dataDir, wrong)).rejects.toThrow(/encryption-key: does not open \d+ stored credential/);
  const signs = { ...secrets, SVC_AUTH_SECRET: newSecret() };
  expect((await move(target, dataDir, signs)).notes).toEqual([expect.stringContaining("people must sign in again")]);
}, 60_000);

test("a move refuses a folder that a service uses, and a folder with recordings without a place for them", async () => {
  const target = await newTarget();
  await expect(move({ ...target, recordingsTo: undefined as never })).rejects.toThrow("--recordings-to");
  const copy = join(mkdtempSync(join(folder, "used-")), "data");
  cpSync(dataDir, copy, { recursive: true });
  const service = await startServer({
    dataDir: copy,
    isEmbedded: true,
    settings: { SVC_INIT_API_KEY: keys.adminKey, SVC_INIT_PROJECT_API_KEY: keys.projectKey, SVC_OPEN_SIGNUP: "true" },
  });
  await expect(move(target, copy)).rejects.toThrow(`A service runs on ${copy}. Stop that service.`);
  await service.stop();
}, 60_000);
