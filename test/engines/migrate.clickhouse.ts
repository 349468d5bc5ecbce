import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { moveDataFolder } from "../../packages/server/src/operations/data-folder/data-folder.ts";
import { openPostgres } from "../../packages/server/src/stores/postgres/postgres.ts";
import { fillFolder, type FullFolder, type Target } from "../support/full-folder.ts";
import { traceIdOf } from "../support/ingest.ts";
import { newSecret } from "../support/secret.ts";
import { startServer } from "../support/server.ts";
import { flip } from "../support/store-folder.ts";

const PROGRAM = fileURLToPath(new URL("../../packages/cli/bin/svc.js", import.meta.url));

let folder: string;
let full: FullFolder;
/** A data folder whose service has stopped. */
let dataDir: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-move-"));
  full = await fillFolder(folder);
  ({ dataDir } = full);
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the sizes and the modification times of the files with the folder's data. */
const filesOf = (from: string) =>
  (readdirSync(from, { recursive: true }) as string[])
    .filter((name) => name !== "lock.db")
    .sort()
    .map((name) => [name, statSync(join(from, name)).size, statSync(join(from, name)).mtimeMs]);

test("a service on the databases answers every read as it did on the folder, which stays as it is", async () => {
  const target = await full.newTarget();
  const files = filesOf(dataDir);
  const moved = await full.move(target);
  expect(moved.differences).toEqual([]);
  expect(moved).toMatchObject({ wasFinished: false, unreadableRecords: 0, finishedAt: expect.any(String) });
  expect(moved.counts.filter(({ name }) => name.startsWith("conversations of"))[0]!.databases).toBeGreaterThan(5);
  expect(filesOf(dataDir)).toEqual(files);
  expect([...full.before.values()].filter((answer) => answer.startsWith("200")).length).toBeGreaterThan(50);
  await full.expectEqualAnswers(await full.startOn(target));
  expect(await full.move(target)).toMatchObject({ wasFinished: true, counts: [], recordings: { copied: 0 } });
  await full.expectEqualAnswers(await full.startOn(target));
}, 300_000);

test("new rows get numbers after those that the folder gave", async () => {
  const target = await full.newTarget();
  await full.move(target);
  const service = await full.startOn(target);
  const { project } = await service.admin.projects.create({ name: "After the move" });
  const { secret } = await service.admin.keys.create({ project_id: project.id });
  expect((await service.clientOf(secret).traces.list({})).traces).toEqual([]);
  await service.client.traces.delete({ traceId: traceIdOf(78) });
  await service.stop();
}, 120_000);

test("a move that is killed at any moment and repeated gives the same", async () => {
  const target = await full.newTarget();
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
    if (begun?.finished_at === null) await expect(full.startOn(target)).rejects.toThrow("hold a part of a data folder");
  }
  expect(kills).toBeGreaterThan(1);
  const last = startProgram(target, "pipe");
  const [said, [exitCode]] = await Promise.all([last.stdout!.toArray(), once(last, "exit")]);
  expect([Buffer.concat(said).toString(), exitCode]).toEqual([
    expect.stringMatching(/All is moved|was moved to these databases/),
    0,
  ]);
  await full.expectEqualAnswers(await full.startOn(target));
}, 300_000);

function startProgram(target: Target, stdout: "ignore" | "pipe" = "ignore") {
  const args = ["migrate", "--to", "databases", "--data-dir", dataDir, "--recordings-to", target.recordingsTo];
  const { databaseUrl, clickHouseUrl } = target;
  return spawn(process.execPath, [PROGRAM, ...args], {
    env: { PATH: process.env.PATH, ...full.secrets, SVC_DATABASE_URL: databaseUrl, SVC_CLICKHOUSE_URL: clickHouseUrl },
    stdio: ["ignore", stdout, "inherit"],
  });
}

test("a folder that changed after an interrupted move is moved whole", async () => {
  const target = await full.newTarget();
  const copy = join(mkdtempSync(join(folder, "copy-")), "data");
  cpSync(dataDir, copy, { recursive: true, preserveTimestamps: true });
  const stopped = moveDataFolder(copy, target, full.secrets, (text) => {
    if (text.startsWith("Reading")) throw new Error("stopped");
  });
  await expect(stopped).rejects.toThrow("stopped");
  const service = await full.startOnFolder(copy);
  await service.client.suites.create({ name: "Made after the interruption" });
  await service.client.traces.delete({ traceId: traceIdOf(78) });
  await service.stop();
  const moved = await full.move(target, copy);
  expect(moved.differences).toEqual([]);
  const onDatabases = await full.startOn(target);
  expect((await onDatabases.client.suites.list({})).testSuites.map(({ name }) => name)).toContain(
    "Made after the interruption",
  );
  await expect(onDatabases.client.traces.get({ traceId: traceIdOf(78) })).rejects.toThrow("Nothing exists here");
  await onDatabases.stop();
  const again = await full.startOnFolder(copy);
  await again.client.suites.create({ name: "Made after the move" });
  await again.stop();
  await expect(full.move(target, copy)).rejects.toThrow("has changed since");
}, 180_000);

test("a move refuses databases with other data", async () => {
  const target = await full.newTarget();
  await (await startServer({ dataDir: target.recordingsTo })).stop();
  await expect(full.move(target)).rejects.toThrow("The databases are not empty: the table");
}, 60_000);

test("a move refuses databases that another folder was moved to", async () => {
  const target = await full.newTarget();
  const other = join(mkdtempSync(join(folder, "other-")), "data");
  // The folders of other specs are copies of one first start and would count as the same folder, so this one starts first by itself.
  const settings = { SVC_INIT_ADMIN: "admin@other.test:correct horse battery" };
  await (await startServer({ dataDir: other, isEmbedded: true, settings })).stop();
  const own = {
    SVC_ENCRYPTION_KEY: readFileSync(join(other, "encryption-key"), "utf8").trim(),
    SVC_AUTH_SECRET: readFileSync(join(other, "auth-secret"), "utf8").trim(),
  };
  expect((await full.move(target, other, own)).differences).toEqual([]);
  await expect(full.move(target)).rejects.toThrow("another data folder was moved there");
}, 60_000);

test("a move refuses a damaged folder and says what to do", async () => {
  const target = await full.newTarget();
  const copy = join(mkdtempSync(join(folder, "damaged-")), "data");
  cpSync(dataDir, copy, { recursive: true });
  const recordings = readdirSync(join(copy, "recordings")).filter((name) => name !== "incoming");
  rmSync(join(copy, "recordings", recordings[0]!));
  await expect(full.move(target, copy)).rejects.toThrow(/recordings: 1 of \d+ files are missing.*svc restore/);
  flip(join(copy, "relational.db"), 0.5, 1);
  await expect(full.move(target, copy)).rejects.toThrow(/relational store: .*svc restore/s);
  const other = join(mkdtempSync(join(folder, "damaged-")), "data");
  cpSync(dataDir, other, { recursive: true });
  const [segment] = readdirSync(join(other, "journal")).filter((name) => name.endsWith(".journal"));
  flip(join(other, "journal", segment!), 0.2, 1);
  await expect(full.move(target, other)).rejects.toThrow(/hold no readable record.*svc restore/);
});

test("a move names the database that does not answer, without its password", async () => {
  const target = await full.newTarget();
  const away = { ...target, databaseUrl: "postgresql://svc:hidden@127.0.0.1:9/svc" };
  const refusal = await full.move(away).catch((error: Error) => error.message);
  expect(refusal).toMatch(
    /^PostgreSQL refuses or does not answer: .*Check SVC_DATABASE_URL, and repeat the command\.$/s,
  );
  expect(refusal).not.toContain("hidden");
  await expect(full.move({ ...target, clickHouseUrl: "http://127.0.0.1:9/svc" })).rejects.toThrow(
    "Check SVC_CLICKHOUSE_URL",
  );
});

test("a move refuses settings with other secrets than those of the folder, and says where the folder has them", async () => {
  const target = await full.newTarget();
  await expect(full.move(target, dataDir, { SVC_AUTH_SECRET: full.secrets.SVC_AUTH_SECRET })).rejects.toThrow(
    `SVC_ENCRYPTION_KEY to the content of ${join(dataDir, "encryption-key")}`,
  );
  const wrong = { ...full.secrets, SVC_ENCRYPTION_KEY: newSecret() };
  await expect(full.move(target, dataDir, wrong)).rejects.toThrow(
    /encryption-key: does not open \d+ stored credential/,
  );
  const signs = { ...full.secrets, SVC_AUTH_SECRET: newSecret() };
  expect((await full.move(target, dataDir, signs)).notes).toEqual([
    expect.stringContaining("people must sign in again"),
  ]);
}, 60_000);

test("a move refuses a folder that a service uses, and a folder with recordings without a place for them", async () => {
  const target = await full.newTarget();
  await expect(full.move({ ...target, recordingsTo: undefined as never })).rejects.toThrow("--recordings-to");
  const copy = join(mkdtempSync(join(folder, "used-")), "data");
  cpSync(dataDir, copy, { recursive: true });
  const service = await full.startOnFolder(copy);
  await expect(full.move(target, copy)).rejects.toThrow(`A service runs on ${copy}. Stop that service.`);
  await service.stop();
}, 60_000);
