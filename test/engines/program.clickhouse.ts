import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { databasesOf } from "../support/engine.ts";
import { encodeProtobuf } from "../support/otlp.ts";
import { requestOf, spanOf, traceIdOf } from "../support/ingest.ts";
import { startProgram } from "../support/program.ts";
import { newSecret } from "../support/secret.ts";
import { clientOf } from "../support/server.ts";
import { until } from "../support/until.ts";
import { aTest } from "../support/world.ts";

const PROGRAM = join(import.meta.dirname, "../../packages/cli/bin/svc.js");
const KEY = newSecret();

let folder: string;
let settings: Record<string, string | undefined>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-spec-"));
  settings = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    TMPDIR: folder,
    HOME: folder,
    LOG_LEVEL: "silent",
    SVC_INIT_API_KEYS: `project:${KEY}`,
    ...(await databasesOf(folder)),
  };
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the program keeps everything in the databases, for its next start and for another process, and nothing in a folder", async () => {
  const first = await startProgram(PROGRAM, settings);
  const client = clientOf(first.url, KEY);
  expect(await client.health.get()).toMatchObject({
    status: "ok",
    relational_engine: "postgresql",
    analytics_engine: "clickhouse",
  });
  const { id } = await client.tests.create(aTest());
  await client.traces.ingest({
    body: encodeProtobuf(requestOf([spanOf(1, 0)])),
    contentType: "application/x-protobuf",
  });
  const second = await startProgram(PROGRAM, settings);
  expect(await clientOf(second.url, KEY).tests.get({ testId: id })).toMatchObject({ id });
  expect(await first.stop()).toBe(0);
  const read = await clientOf(second.url, KEY).traces.get({ traceId: traceIdOf(1) });
  expect(read.spans).toHaveLength(1);
  expect(await second.stop()).toBe(0);
  const third = await startProgram(PROGRAM, settings);
  expect(await clientOf(third.url, KEY).traces.get({ traceId: traceIdOf(1) })).toEqual(read);
  expect(await third.stop()).toBe(0);
  await until(
    "no temporary folder is left",
    () => readdirSync(folder).filter((name) => name.startsWith("svc-")).length === 0,
  );
});

test("the folder of a process is refused to another process", async () => {
  const own = { ...settings, SVC_DATA_DIR: join(folder, "own") };
  const first = await startProgram(PROGRAM, own);
  await expect(startProgram(PROGRAM, own)).rejects.toThrow(/Another server is running on the data folder .*own/);
  expect(await first.stop()).toBe(0);
});

test.each([
  [
    "SVC_DATABASE_URL",
    "postgresql://svc:hidden@127.0.0.1:9/away",
    /^PostgreSQL at 127\.0\.0\.1:9\/away cannot be used: .*ECONNREFUSED.*\. Start it, or correct SVC_DATABASE_URL\.$/,
  ],
  [
    "SVC_CLICKHOUSE_URL",
    "http://svc:hidden@127.0.0.1:9/away",
    /^ClickHouse at 127\.0\.0\.1:9\/away cannot be used: .*ECONNREFUSED.* Start it, or correct SVC_CLICKHOUSE_URL\.$/,
  ],
])("a start with %s of a database that is away says so without its password", async (setting, url, message) => {
  const refused = await startProgram(PROGRAM, { ...settings, [setting]: url }).catch((error: Error) => error.message);
  expect(refused).toMatch(message);
  expect(refused).not.toContain("hidden");
});
