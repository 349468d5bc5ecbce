/**
 * Measures for how long the largest lists block the service: `npm run bench -- lists`. Prints the longest uninterrupted task of
 * the service's main thread while it answers, in CPU time, and the size of the answer.
 */
import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@svc/sdk";
import { Command } from "commander";
import { sql } from "kysely";
import { newId } from "../packages/server/src/base/ids.ts";
import { openChecksums } from "../packages/server/src/stores/sqlite/checksums.ts";
import { openSqlite } from "../packages/server/src/stores/sqlite/sqlite.ts";
import { settled, startRun } from "../test/support/runs.ts";
import { newSecret } from "../test/support/secret.ts";
import { copyOf, templateOf } from "./copied-bodies.ts";
import type { ListsQuestion, ListsServer } from "./lists-server.ts";

const { conversations } = new Command("lists")
  .description("Measures how long large lists block the service.")
  .option("--conversations <count>", "number of conversations", Number, 2_000)
  .parse()
  .opts<{ conversations: number }>();
const SIMULATIONS = 5_000;
const RECORDS = 200;
const GRADERS = 45;
const CALLS = 5;
const PROSE =
  "The caller asks about the bill of last month, is put on hold twice, and wants to know who decides. ".repeat(15);

const dataDir = mkdtempSync(join(tmpdir(), "svc-lists-"));
const keys = [newSecret(), newSecret()];
process.once("exit", () => rmSync(dataDir, { recursive: true, force: true }));

let server = await start();
const runId = await fill();
await server.close();
await multiply(runId);
server = await start();
await measureAll(runId);
await server.close();

async function start() {
  const child = fork(join(import.meta.dirname, "lists-server.ts"), [dataDir, ...keys], {
    execArgv: ["--conditions=svc-source"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const next = <T>() => new Promise<T>((resolve) => child.once("message", (message) => resolve(message as T)));
  const { url, key } = await next<ListsServer>();
  return {
    url,
    key,
    client: createClient({ baseUrl: url, apiKey: key }),
    ask(question: ListsQuestion) {
      const answer = next<number>();
      child.send(question);
      return answer;
    },
    close() {
      const exited = new Promise((resolve) => child.once("exit", resolve));
      child.send("close" satisfies ListsQuestion);
      return exited;
    },
  };
}

/** Creates records of every kind through the interface; returns a run. */
async function fill(): Promise<string> {
  const { client } = server;
  const spans = 25;
  const template = templateOf(1, { spans: 10 * spans, conversations: 10, startMs: Date.now() - 3_600_000 });
  for (let sent = 0; sent < conversations; sent += 10)
    await client.traces.ingest({ body: copyOf(template), contentType: "application/x-protobuf", gzip: true });
  for (let hour = 1; hour <= 7 * 24; hour++) {
    const startMs = Date.now() - hour * 3_600_000;
    const body = copyOf(templateOf(hour + 1, { spans: 10 * spans, conversations: 10, startMs }));
    await client.traces.ingest({ body, contentType: "application/x-protobuf", gzip: true });
  }
  const names = Array.from({ length: RECORDS }, (_, number) => `number ${number}`);
  await Promise.all(
    names.map(async (name, number) => {
      const expected_behaviors = Array.from({ length: 10 }, (_, at) => `Says that step ${at} of the bill is checked.`);
      await client.tests.create({ name, scenario: PROSE, expected_behaviors });
      await client.personas.create({ name, traits: { personality: PROSE.slice(0, 1_500), pace: "slow" } });
      await client.mockTools.create({ tool: `tool_${name}`, answer: { rows: PROSE } });
      await client.agents.register({ name });
      if (number < GRADERS)
        await client.graders.create({ name, definition: { kind: "check", check: `calls tool_${number}` } });
    }),
  );
  const { sample } = await client.sample.start({});
  await settled(client, sample.runId, 120_000);
  const { run } = await client.runs.get({ runId: sample.runId });
  const { simulations } = await client.runs.simulations({ runId: run.id });
  const { id } = await startRun(client, {
    agentId: run.agentId,
    connectionId: run.connectionId,
    testVersions: [...new Set(simulations.map(({ testVersionId }) => testVersionId))],
    iterations: 20,
  } as never);
  await settled(client, id, 600_000);
  await server.ask("drain");
  return id;
}

/** Copies the simulations of a run and their grades until it has as many as a run may have. */
async function multiply(id: string): Promise<void> {
  const checksums = openChecksums(dataDir, () => undefined);
  const { db, close } = openSqlite(dataDir, checksums);
  const rows = await db.selectFrom("simulations").selectAll().where("run_id", "=", id).execute();
  const copies = Math.floor(SIMULATIONS / rows.length) - 1;
  for (let copy = 1; copy <= copies; copy++) {
    await db.transaction().execute(async (tx) => {
      for (const row of rows) {
        const simulation = { ...row, id: newId("sim"), iteration: row.iteration + 20 * copy };
        await tx.insertInto("simulations").values(simulation).execute();
        const grades = await tx.selectFrom("grades").selectAll().where("simulation_id", "=", row.id).execute();
        for (const grade of grades)
          await tx
            .insertInto("grades")
            .values({ ...grade, id: newId("grd"), simulation_id: simulation.id })
            .execute();
      }
    });
  }
  await sql`ANALYZE`.execute(db);
  await close();
}

async function measureAll(id: string): Promise<void> {
  const { simulations } = await server.client.runs.simulations({ runId: id });
  const { traces } = await server.client.traces.list({ source: "simulation" });
  const week = `from=${new Date(Date.now() - 7 * 86_400_000).toISOString()}`;
  const page = `pageSize=${RECORDS}`;
  console.log(`${"".padEnd(62)}${"blocked ms".padStart(12)}${"answer KB".padStart(12)}${"all ms".padStart(10)}`);
  for (const path of [
    "/health",
    `/v1/runs/${id}`,
    `/v1/runs?${page}`,
    `/v1/runs/${id}/simulations?${page}&grades=true`,
    `/v1/runs/${id}/grid`,
    `/v1/runs/${id}/behaviors`,
    `/v1/runs/${id}/comparison?with=${id}`,
    `/v1/runs/${id}/events?after=0`,
    `/v1/test-results?${page}`,
    `/v1/tests/${simulations[0]!.testId}/pass-rates?${page}`,
    `/v1/usage`,
    `/v1/traces?${page}`,
    `/v1/traces?${page}&search=refund`,
    `/v1/traces?${page}&verdict=passed`,
    `/v1/traces?${page}&runId=${id}&total=true`,
    `/v1/traces/${traces[0]!.traceId}/grades`,
    `/v1/metrics?${week}`,
    `/v1/metrics?${week}&bucket=day`,
    `/v1/metrics/conversations?${week}`,
    `/v1/metrics/tools?${week}`,
    `/api/tests?limit=${RECORDS}`,
    `/v1/personas?${page}`,
    `/v1/graders?${page}`,
    `/v1/mock-tools?${page}`,
    `/v1/agents?${page}`,
    `/v1/connection-options`,
    `/v1/persona-capability-models`,
    `/openapi.json`,
  ])
    await measure(path);
}

async function measure(path: string): Promise<void> {
  const blocked: number[] = [];
  let [bytes, allMs, status] = [0, 0, 0];
  for (let call = 0; call < CALLS; call++) {
    await server.ask("longest");
    const startedMs = performance.now();
    const response = await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${server.key}` } });
    bytes = (await response.arrayBuffer()).byteLength;
    allMs = performance.now() - startedMs;
    status = response.status;
    blocked.push(await server.ask("longest"));
  }
  const middle = blocked.toSorted((a, b) => a - b)[Math.floor(CALLS / 2)]!;
  const shown = path
    .replace(/(sim|run|tst)_\w{26}/g, "{id}")
    .replace(/from=[^&]*/, "from=…")
    .replace(/[0-9a-f]{32}/, "{id}");
  const cells = [middle.toFixed(1).padStart(12), (bytes / 1024).toFixed(0).padStart(12), allMs.toFixed(0).padStart(10)];
  console.log(`${shown.padEnd(62)}${cells.join("")}${status === 200 ? "" : `  status ${status}`}`);
}
