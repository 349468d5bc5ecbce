import { readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { type ClockWitness, createWitnessRow } from "../../packages/server/src/traces/store/clock-witness-row.ts";
import { startChatAgent } from "../support/chat-agent.ts";
import { openStoreOf, SHARES_TRACES } from "../support/engine.ts";
import { traceIdOf } from "../support/ingest.ts";
import { conversation, graded, sendSpans } from "../support/production.ts";
import { chatConnection, played, startRun } from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { placesWith } from "../support/stored-bytes.ts";
import { until } from "../support/until.ts";
import { aTest } from "../support/world.ts";
import { keySettings } from "../support/secret.ts";

const DAY_MS = 86_400_000;
const RETENTION_DAYS = 30;
const NOW = Date.now();

afterEach(() => void vi.useRealTimers());

const setDay = (daysAgo: number) => vi.useFakeTimers({ now: NOW - daysAgo * DAY_MS, toFake: ["Date"] });

async function writeWitness(dataDir: string, witness: ClockWitness): Promise<void> {
  const { db, close } = await openStoreOf(dataDir);
  await createWitnessRow(db).write(witness);
  await close();
  rmSync(join(dataDir, "relational.checksums"), { force: true }); // no service wrote the row
}

/** Plays a simulation and grades a production conversation that contain the word, and labels both. */
async function oneDay(server: TestServer, word: string, trace: number, grader: string): Promise<void> {
  const { client, project } = server;
  const agent = await startChatAgent(({ event }) => ({ message: `Here is ${word}.`, ended: event === "message" }));
  const target = await chatConnection(client, agent.url);
  const scenario = { scenario: "Says: Good morning.", expected_behaviors: ['never says "Here"'] };
  const { version_id } = await client.tests.create(aTest(scenario));
  const { id: runId } = await startRun(client, { ...target, testVersions: [version_id] });
  const { simulations } = await played(server, runId);
  await client.simulations.veto({ simulationId: simulations[0]!.id, reason: `I heard ${word}` });
  const definition = { kind: "check", check: 'never says "Here"' } as const;
  const settings = { scope: "production", productionSampleRate: 1 } as const;
  await client.graders.create({ name: grader, definition, ...settings, projectId: project.id });
  await sendSpans(server, client, conversation(trace, `Here is ${word} again.`));
  const grades = [simulations[0]!.grades[0]!, (await graded(client, trace))[0]!];
  for (const { id } of grades) await client.grades.label({ gradeId: id!, verdict: "passed", note: `about ${word}` });
  agent.stop();
}

test("no store contains a word of a conversation past the retention, and later conversations keep theirs", async () => {
  const [old, recent] = ["uralt5d1f80c3", "frisch77a2e9b4"];
  setDay(RETENTION_DAYS + 2);
  let server = await startServer({ gradeProductionEveryMs: 50 });
  const { dataDir, remove } = server;
  const settings = {
    ...keySettings(server),
    SVC_RETENTION_DAYS: String(RETENTION_DAYS),
  };
  await oneDay(server, old, 1, "first");
  await server.close();
  setDay(1);
  const { SVC_RETENTION_DAYS: _, ...keepAll } = settings;
  server = await startServer({ dataDir, gradeProductionEveryMs: 50, settings: keepAll });
  await oneDay(server, recent, 2, "second");
  await server.close();
  if (!SHARES_TRACES)
    for (const name of [
      "traces.damaged-2026-01-01.db",
      "traces.damaged-2026-01-01.db-wal",
      "samples.damaged-2026-01-01.duckdb",
    ]) {
      const aside = join(dataDir, name);
      writeFileSync(aside, `a damaged copy with ${old}`);
      utimesSync(aside, new Date(NOW - 2 * DAY_MS), new Date(NOW - 2 * DAY_MS));
    }
  const before = await placesWith(dataDir, old);
  expect(Object.keys(before).length).toBeGreaterThanOrEqual(3);

  setDay(0);
  await writeWitness(dataDir, { seenMs: NOW - 60_000, holdMs: 0 });
  server = await startServer({ dataDir, settings });
  await until("no store contains the old word", async () => {
    const places = await placesWith(dataDir, old);
    if (Object.keys(places).length > 0) throw new Error(JSON.stringify(places));
    return true;
  });
  const { client } = server;
  const { runs } = await client.runs.list();
  const verdicts = runs.map(({ failedVerdicts }) => failedVerdicts);
  expect(verdicts).toEqual([1, 1]);
  await expect(client.traces.get({ traceId: traceIdOf(1) })).rejects.toMatchObject({ status: 404 });
  const kept = await client.traces.get({ traceId: traceIdOf(2) });
  expect(JSON.stringify(kept)).toContain(`Here is ${recent} again.`);
  expect(JSON.stringify(await graded(client, 2))).toContain(`about ${recent}`);
  expect((await client.traces.list({ search: recent })).traces).toHaveLength(2);
  expect(readdirSync(dataDir).filter((file) => file.includes("damaged"))).toEqual([]);
  await server.close();
  remove();
});

test("nothing is erased within a day of running time after a leap of the clock", async () => {
  const word = "sprung3c9a71e8";
  setDay(RETENTION_DAYS + 2);
  let server = await startServer({ gradeProductionEveryMs: 50 });
  const { dataDir, remove } = server;
  const settings = {
    ...keySettings(server),
    SVC_RETENTION_DAYS: String(RETENTION_DAYS),
  };
  await oneDay(server, word, 1, "first");
  await server.close();
  setDay(0);
  await writeWitness(dataDir, { seenMs: NOW - (RETENTION_DAYS + 2) * DAY_MS, holdMs: 0 });
  const before = Object.keys(await placesWith(dataDir, word));
  expect(before.length).toBeGreaterThan(1);
  server = await startServer({ dataDir, settings });
  await server.conversationsRead();
  await server.close();
  expect(Object.keys(await placesWith(dataDir, word))).toHaveLength(before.length);
  remove();
});
