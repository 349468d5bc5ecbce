import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { createClient, SvcError } from "@svc/sdk";
import { expect, test } from "vitest";
import { fileOf } from "./support/code/programs.ts";
import { openChecksums } from "../packages/server/src/stores/sqlite/checksums.ts";
import { openSqlite } from "../packages/server/src/stores/sqlite/sqlite.ts";
import { oneSpan } from "./support/otlp.ts";
import { send } from "./support/request.ts";
import { startServer } from "./support/server.ts";
import type { OpenService, Serving } from "./support/service-child.ts";
import { keySettings } from "./support/secret.ts";
import { rowsOfStore } from "./support/store-folder.ts";
import { until } from "./support/until.ts";
import { aTest } from "./support/world.ts";

const ROUNDS = 5;

test("a full disk refuses changes with 503, answers reads, heals without a restart, and loses nothing that was acknowledged", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "svc-full-"));
  const settings = keySettings();
  const child = fork(fileOf("service-child"), { execArgv: ["--conditions=svc-source"] });
  child.send({ dataDir, settings } satisfies OpenService);
  const [{ url, projectKey }] = (await once(child, "message")) as [Serving];
  const client = createClient({ baseUrl: url, apiKey: projectKey, retries: 0 });
  /** Limits the size of the files that the service can write, so that writes fail as on a full disk. */
  const limit = (bytes: string) => execFileSync("prlimit", ["--pid", String(child.pid), `--fsize=${bytes}:unlimited`]);
  const sent = await send(url, { method: "POST", path: "/v1/traces", key: projectKey, json: oneSpan() });
  expect(sent.status).toBe(200);
  await until("the conversation is derived", async () => (await client.traces.list()).traces.length === 1);
  const acknowledged: string[] = [];
  const create = async () => acknowledged.push((await client.tests.create(aTest())).id);

  for (let round = 0; round < ROUNDS; round++) {
    for (let count = 0; count < 20; count++) await create();
    limit("1");
    for (let count = 0; count < 10; count++) {
      const refused: unknown = await create().catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(SvcError);
      expect(refused).toMatchObject({ status: 503, code: "unavailable", message: expect.stringMatching(/free space/) });
    }
    await client.tests.get({ testId: acknowledged.at(-1)! });
    const remap: unknown = await client.traces.remap({ all: true }).catch((error: unknown) => error);
    expect(remap).toMatchObject({ status: 503, code: "unavailable" });
    limit("unlimited");
    await until("the disk has space", create);
  }
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;

  const server = await startServer({ dataDir, settings });
  for (const testId of acknowledged) await server.client.tests.get({ testId });
  await server.stop();
  rmSync(dataDir, { recursive: true });
});

test("changes are stored while their checksums cannot be written, and the checksums follow once they can", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "svc-full-"));
  const blocker = join(dataDir, "relational.checksums.new");
  mkdirSync(blocker);
  const errors: unknown[] = [];
  const store = openSqlite(
    dataDir,
    openChecksums(dataDir, (error) => errors.push(error)),
  );
  await sql`CREATE TABLE filler (bytes BLOB)`.execute(store.db);
  const insert = () => sql`INSERT INTO filler VALUES (zeroblob(100000))`.execute(store.db);
  for (let count = 0; count < 100; count++) await insert();
  expect(errors.at(-1)).toMatchObject({ code: "EISDIR" });
  rmSync(blocker, { recursive: true });
  await insert();
  expect(errors.at(-1)).toBeUndefined();
  await store.close();
  expect((await rowsOfStore(dataDir)).filler).toHaveLength(101);

  rmSync(join(dataDir, "relational.checksums"));
  mkdirSync(blocker);
  const unsaved = openSqlite(
    dataDir,
    openChecksums(dataDir, () => undefined),
  );
  await sql`DELETE FROM filler`.execute(unsaved.db);
  await unsaved.close();
  rmSync(blocker, { recursive: true });
  expect((await rowsOfStore(dataDir)).filler).toHaveLength(0);
  rmSync(dataDir, { recursive: true });
});
