import { readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { type ClockWitness, createWitnessRow } from "../../packages/server/src/traces/store/clock-witness-row.ts";
import { startChatAgent } from "../support/chat-agent.ts";
import { openStoreOf, SHARES_TRACES } from "../support/engine.ts";
import { spanOf, traceIdOf } from "../support/ingest.ts";
import { attribute } from "../support/otlp.ts";
import { conversation, graded, sendSpans } from "../support/production.ts";
import { recordedWav } from "../support/recorded-wav.ts";
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
  await createWitnessRow(db, "conversations").write(witness);
  await close();
  rmSync(join(dataDir, "relational.checksums"), { force: true }); // the service does not start when rows differ from these checksums
}

/** Plays a simulation and grades a production conversation, both with the word, and labels the grades of both. */
async function oneDay(server: TestServer, word: string, trace: number, grader: string): Promise<string> {
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
  return simulations[0]!.id;
}

test("no store contains a word of a conversation past the retention, and later conversations keep theirs", async () => {
  const [old, recent] = ["uralt5d1f80c3", "frisch77a2e9b4"];
  setDay(RETENTION_DAYS + 2);
  let server = await startServer({ productionPace: { everyMs: 50 } });
  const { dataDir, remove } = server;
  const settings = {
    ...keySettings(server),
    SVC_RETENTION_DAYS: String(RETENTION_DAYS),
  };
  await oneDay(server, old, 1, "first");
  await server.close();
  setDay(1);
  const { SVC_RETENTION_DAYS: _, ...keepAll } = settings;
  server = await startServer({ dataDir, productionPace: { everyMs: 50 }, settings: keepAll });
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

/** Creates a project with this retention, and returns an object with which `oneDay` works in the project. */
async function projectKeptFor(server: TestServer, retentionDays: number | null) {
  const { project } = await server.admin.projects.create({ name: `Kept for ${retentionDays}`, retentionDays });
  const { secret } = await server.admin.keys.create({ project_id: project.id });
  return { project, secret, face: (now: TestServer) => ({ ...now, project, client: now.clientOf(secret) }) };
}

test("each project's conversations stay for as long as its own retention says, and no byte of another project goes", async () => {
  const [old, late, recent, other, kept] = [
    "kurz8c1f02d7",
    "spaet51b9e3a4",
    "neu6d30f7c8",
    "lang47e2a9b5",
    "immer09d4c6f1",
  ];
  const WAV = recordedWav(500, [{ fromMs: 0, toMs: 400, level: 0.5 }], []);
  setDay(12);
  let server = await startServer({ productionPace: { everyMs: 50 } });
  const { dataDir, remove } = server;
  const settings = keySettings(server);
  const short = await projectKeptFor(server, 5);
  const long = await projectKeptFor(server, 20);
  const endless = await projectKeptFor(server, null);
  const simulations: string[] = [];
  for (const [n, [{ project, face }, word]] of (
    [
      [short, old],
      [long, other],
      [endless, kept],
    ] as const
  ).entries()) {
    const simulationId = await oneDay(face(server), word, n + 1, "first");
    await server.keepRecording({ projectId: project.id, simulationId, bytes: WAV });
    simulations.push(simulationId);
  }
  const inShort = short.face(server);
  await sendSpans(inShort, inShort.client, conversation(9, `Early ${old}.`, { isOver: false }));
  await server.close();
  setDay(2);
  server = await startServer({ dataDir, productionPace: { everyMs: 50 }, settings });
  await oneDay(short.face(server), recent, 4, "second");
  const later = short.face(server);
  // The conversation has spans from before and after the start of the first day that the retention keeps.
  await sendSpans(later, later.client, [
    spanOf(9, 3, {
      name: "agent_turn",
      attributes: [attribute("lk.job_id", "job-9"), attribute("lk.response.text", late)],
    }),
  ]);
  const answersOf = async ({ client }: TestServer) => {
    const { traces } = await client.traces.list();
    const conversations = await Promise.all(traces.map(({ traceId }) => client.traces.get({ traceId })));
    const grades = await Promise.all(traces.map(({ traceId }) => client.grades.ofTrace({ traceId })));
    const played = await Promise.all(
      (await client.runs.list()).runs.map(({ id }) => client.runs.simulations({ runId: id })),
    );
    return JSON.stringify([conversations, grades, played]);
  };
  const others = [long, endless];
  const before = await Promise.all(others.map(({ face }) => answersOf(face(server))));
  await server.close();
  const bytesBefore = await Promise.all([other, kept].map((word) => placesWith(dataDir, word)));
  expect(Object.keys(await placesWith(dataDir, old)).length).toBeGreaterThanOrEqual(3);

  setDay(0);
  await writeWitness(dataDir, { seenMs: NOW - 60_000, holdMs: 0 });
  server = await startServer({ dataDir, settings });
  await until("no store contains the old word", async () => {
    const places = await placesWith(dataDir, old);
    if (Object.keys(places).length > 0) throw new Error(JSON.stringify(places));
    return true;
  });
  await server.conversationsRead();
  const { client } = short.face(server);
  await expect(client.traces.get({ traceId: traceIdOf(1) })).rejects.toMatchObject({ status: 404 });
  expect(JSON.stringify(await client.traces.get({ traceId: traceIdOf(4) }))).toContain(`Here is ${recent} again.`);
  expect(JSON.stringify(await client.traces.get({ traceId: traceIdOf(9) }))).toContain(late);
  const durations = [short, long, endless].map(async ({ face }, n) => {
    const { recording } = await face(server).client.recordings.ofSimulation({ simulationId: simulations[n]! });
    return recording?.durationMs;
  });
  expect(await Promise.all(durations)).toEqual([undefined, 500, 500]);
  expect(await Promise.all(others.map(({ face }) => answersOf(face(server))))).toEqual(before);
  await server.close();
  for (const [n, word] of [other, kept].entries())
    expect(Object.keys(await placesWith(dataDir, word)).sort()).toEqual(Object.keys(bytesBefore[n]!).sort());
  remove();
});

test.each(["the service", "a project"])(
  "nothing is erased within a day of running time after a leap of the clock, by the retention of %s",
  async (whose) => {
    const word = "sprung3c9a71e8";
    setDay(RETENTION_DAYS + 2);
    let server = await startServer({ productionPace: { everyMs: 50 } });
    const { dataDir, remove } = server;
    const settings = {
      ...keySettings(server),
      ...(whose === "the service" && { SVC_RETENTION_DAYS: String(RETENTION_DAYS) }),
    };
    await oneDay(server, word, 1, "first");
    if (whose === "a project") await server.admin.projects.edit({ projectId: server.project.id, retentionDays: 5 });
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
  },
);
