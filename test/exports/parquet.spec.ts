import { globSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { EXPORT_COLUMNS, type ExportTable } from "@svc/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { needsStoreFile } from "../support/engine.ts";
import { openHome } from "../support/cli.ts";
import { traceIdOf } from "../support/ingest.ts";
import { conversation, graded, sendSpans } from "../support/production.ts";
import { played } from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-export-"));
const dataDir = join(folder, "data");
const today = new Date().toISOString().slice(0, 10);
let server: TestServer;
let home: ReturnType<typeof openHome>;
let duckdb: DuckDBInstance;

beforeAll(async () => {
  duckdb = await DuckDBInstance.create(":memory:");
  server = await startServer({ dataDir, productionPace: { everyMs: 50 } });
  home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.projectKey });
  await server.client.graders.create({
    name: "Fine",
    definition: { kind: "check", check: 'says "fine"' },
    scope: "production",
    productionSampleRate: 1,
  });
  await sendSpans(server, server.client, conversation(1, "I am fine."));
  await graded(server.client, 1);
  const { sample } = await server.client.sample.start({});
  await played(server, sample.runId);
  await server.conversationsRead();
});
afterAll(async () => {
  duckdb.closeSync();
  await server.stop();
  home.remove();
  rmSync(folder, { recursive: true, force: true });
});

const TABLES = Object.keys(EXPORT_COLUMNS).filter((table) => table !== "spans");

async function rowsOf(file: string): Promise<Record<string, unknown>[]> {
  const connection = await duckdb.connect();
  try {
    const reader = await connection.runAndReadAll(`SELECT * FROM '${file}'`);
    return reader.getRowObjectsJson() as Record<string, unknown>[];
  } finally {
    connection.closeSync();
  }
}

async function saved(file: string): Promise<string> {
  const path = join(folder, `${file}-${readdirSync(folder).length}.parquet`);
  writeFileSync(path, await new Response(await server.client.exports.file({ name: file })).bytes());
  return path;
}

const fetched = async (file: string) => rowsOf(await saved(file));

async function columnsOf(file: string): Promise<string[]> {
  const connection = await duckdb.connect();
  try {
    return (await connection.runAndReadAll(`SELECT * FROM '${await saved(file)}'`)).columnNames();
  } finally {
    connection.closeSync();
  }
}

test("an export has a file for each table and for each day with spans", async () => {
  const { files } = await server.client.exports.list();
  const spans = { name: `spans-${today}`, table: "spans", day: today };
  const others = TABLES.map((name) => ({ name, table: name, day: null }));
  expect(files).toEqual([...others, spans]);
});

test.each(Object.keys(EXPORT_COLUMNS) as ExportTable[])(
  "the table %s has the documented columns in their order",
  async (table) => {
    expect(await columnsOf(table === "spans" ? `spans-${today}` : table)).toEqual(Object.keys(EXPORT_COLUMNS[table]));
  },
);

test("the spans and the conversation are those of the service", async () => {
  const spans = (await fetched(`spans-${today}`)).filter(({ trace_id }) => trace_id === traceIdOf(1));
  expect(spans.map(({ name }) => name)).toEqual(["job_entrypoint", "user_turn", "agent_turn"]);
  expect(spans[0]).toMatchObject({
    parent_span_id: null,
    status: "unset",
    span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
  });
  const conversations = await fetched("conversations");
  const exported = conversations.find(({ trace_id }) => trace_id === traceIdOf(1));
  expect(exported).toMatchObject({ conversation: "job-1", source: "production", spans: 3, errors: 0, turns: 2 });
  expect(exported!["transcript"]).toContain("i am fine.");
  const { traces } = await server.client.traces.list({});
  expect(conversations).toHaveLength(traces.length);
});

test("the grades are those of production and of the last grading of each simulation", async () => {
  const grades = await fetched("grades");
  const production = grades.filter(({ source }) => source === "production");
  expect(production).toContainEqual(
    expect.objectContaining({ conversation: "job-1", grader_name: "Fine", verdict: "passed", run_id: null }),
  );
  const failed = grades.filter(({ source, verdict }) => source === "simulation" && verdict === "failed");
  expect(failed).toContainEqual(
    expect.objectContaining({
      criterion: "never says /you are booked/i",
      decided_by: "check",
      counts: true,
      run_id: expect.stringMatching(/^run_/),
      conversation: expect.stringMatching(/^sim_/),
    }),
  );
});

test("an export shows nothing of another project", async () => {
  const { project } = await server.admin.projects.create({ name: "Other" });
  const { secret } = await server.admin.keys.create({ project_id: project.id });
  const client = server.clientOf(secret);
  expect((await client.exports.list()).files.map(({ table }) => table)).not.toContain("spans");
  for (const file of ["conversations", "grades", `spans-${today}`]) {
    const path = join(folder, `other-${file}.parquet`);
    writeFileSync(path, await new Response(await client.exports.file({ name: file })).bytes());
    expect(await rowsOf(path)).toEqual([]);
  }
});

test("a file that no export has is not found, and no file stays in the data folder", async () => {
  await expect(server.client.exports.file({ name: "spans-2026-13-45" })).rejects.toMatchObject({ status: 404 });
  await expect(server.client.exports.file({ name: "passwords" })).rejects.toMatchObject({ status: 404 });
  await until("the files are removed", () => globSync("exports/*", { cwd: dataDir }).length === 0);
});

test("`svc export` writes the project's files through the service, and all projects' files of a stopped service", async (context) => {
  needsStoreFile(context);
  const target = join(folder, "through");
  const { exitCode, stdout } = await home.svc(["export", "--parquet", target]);
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`Wrote ${TABLES.length + 1} files to `)]);
  expect(readdirSync(target).sort()).toEqual([...TABLES, `spans-${today}`].map((name) => `${name}.parquet`).sort());
  const stopped = join(folder, "stopped");
  const refused = await home.svc(["export", "--parquet", stopped, "--data-dir", dataDir]);
  expect([refused.exitCode, refused.stderr]).toEqual([
    1,
    expect.stringMatching(/^A service runs on .* without --data-dir/),
  ]);
  await server.close();
  expect(await home.svc(["export", "--parquet", stopped, "--data-dir", dataDir])).toMatchObject({ exitCode: 0 });
  const own = join(stopped, server.project.id);
  for (const name of ["conversations", "grades"])
    expect(await rowsOf(join(own, `${name}.parquet`))).toEqual(await rowsOf(join(target, `${name}.parquet`)));
});
