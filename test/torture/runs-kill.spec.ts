import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { RunEvent, Simulation } from "@svc/contract";
import { type Client, createClient } from "@svc/sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ChatAgent, type Spoken, startChatAgent, useTool } from "../support/chat-agent.ts";
import { random } from "../support/livekit-request.ts";
import { chatConnection, settled, simulationsOf, startRun, versionsOf } from "../support/runs.ts";
import { newSecret } from "../support/secret.ts";
import type { OpenService, Serving } from "../support/service-child.ts";
import { until } from "../support/until.ts";

const KILLS = 50;
const TESTS = 10;
const ITERATIONS = 20;
const CONCURRENCY = 8;
const LIFE_MS_MAX = 700;
const OPENING_MS = 1_000;
const CHILD = join(import.meta.dirname, "../support/service-child.ts");

const next = random(Date.now());
const folder = mkdtempSync(join(tmpdir(), "svc-runs-kill-"));
const dataDir = join(folder, "data");
const settings = { SVC_INIT_API_KEY: newSecret(), SVC_INIT_PROJECT_API_KEY: newSecret() };

let agent: ChatAgent;
beforeAll(async () => {
  agent = await startChatAgent(answer);
});
afterAll(() => {
  agent.stop();
  rmSync(folder, { recursive: true, force: true });
});

let kills = 0;
const goodbyes = new Set<string>();
/** Delays the last lines, so that the run does not end before the kills. */
const mayEnd = () => goodbyes.size < (TESTS * ITERATIONS * (kills + 1)) / KILLS;

/** Answers as the agent: uses a tool in each conversation, and breaks the expected behavior in every third test. */
async function answer(spoken: Spoken) {
  if (spoken.event === "start") return {};
  await delay(20 + next() * 100);
  const about = /case (\d+)/.exec(spoken.message!)?.[1];
  if (about !== undefined) await useTool(spoken, "look_up", { number: Number(about) }).catch(() => undefined);
  if (spoken.message === "Goodbye.") {
    while (!mayEnd()) await delay(10);
    goodbyes.add(spoken.simulationId);
  }
  const isBroken = about !== undefined && Number(about) % 3 === 0;
  return { message: isBroken ? "I cannot guarantee that." : `You said: ${spoken.message}` };
}

const linesOf = (number: number) => [`This is case ${number}.`, "What now?", "Goodbye."];
const heardIn = (number: number) =>
  linesOf(number).flatMap((line, place) => [
    ["caller", line],
    ["agent", place === 0 && number % 3 === 0 ? "I cannot guarantee that." : `You said: ${line}`],
  ]);

/** Starts a process that has loaded the code but not opened the data directory. */
const loadedChild = (): ChildProcess =>
  fork(CHILD, {
    execArgv: ["--conditions=svc-source"],
    env: { ...process.env, NODE_COMPILE_CACHE: join(folder, "compiled") },
  });

async function serving(child: ChildProcess): Promise<Client> {
  child.send({ dataDir, settings } satisfies OpenService);
  const [{ url, projectKey }] = (await once(child, "message")) as [Serving];
  return createClient({ baseUrl: url, apiKey: projectKey, retries: 0 });
}

async function killed(child: ChildProcess): Promise<void> {
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  const [, signal] = (await gone) as [number | null, string | null];
  expect(signal).toBe("SIGKILL");
}

async function newRun(client: Client): Promise<string> {
  const versions = await versionsOf(
    client,
    Array.from({ length: TESTS }, (_, number) => ({
      scenario: `Caller says:\n${linesOf(number)
        .map((line) => `- ${line}`)
        .join("\n")}`,
      behaviors: ['never says "guarantee"', `calls look_up with number=${number}`, "finishes within 6 turns"],
      mockTools: [{ tool: "look_up", answer: { found: number } }],
    })),
  );
  const target = await chatConnection(client, agent.url);
  const run = { ...target, testVersions: versions, iterations: ITERATIONS, concurrency: CONCURRENCY };
  return (await startRun(client, run)).id;
}

async function eventsOf(client: Client, runId: string): Promise<RunEvent[]> {
  const all: RunEvent[] = [];
  for (let after = 0; ;) {
    const page = await client.runs.events({ runId, after });
    all.push(...page.events);
    after = page.next;
    if (page.caughtUp) return all;
  }
}

async function tracesOf(client: Client): Promise<string[]> {
  const ids: string[] = [];
  for (let pageToken: string | undefined; ;) {
    const page = await client.traces.list({ source: "simulation", pageSize: 200, ...(pageToken && { pageToken }) });
    ids.push(...page.traces.map(({ traceId }) => traceId));
    if (page.nextPageToken === null) return ids;
    pageToken = page.nextPageToken;
  }
}

/** Returns how often each item occurs. */
const counted = (list: readonly string[]) => [...Map.groupBy(list, (one) => one)].map(([, same]) => same.length);

test(
  "after 50 kills during a run of 200 simulations, each simulation has one ending, the right verdict and one conversation",
  { timeout: 300_000 },
  async () => {
    let child = loadedChild();
    let standby = loadedChild();
    const runId = await newRun(await serving(child));
    for (; kills < KILLS; kills++) {
      // Every fifth child dies while it opens the data directory, or during the first simulations that it resumes.
      if (kills % 5 === 4) await Promise.race([serving(child), delay(next() * OPENING_MS)]);
      else if (kills > 0) await serving(child);
      if (kills % 5 !== 4) await delay(next() ** 2 * LIFE_MS_MAX);
      await killed(child);
      child = standby;
      standby = loadedChild();
    }
    await killed(standby);
    const client = await serving(child);
    const run = await settled(client, runId, 60_000);
    const simulations = await simulationsOf(client, runId);
    const total = TESTS * ITERATIONS;
    const failing = Math.ceil(TESTS / 3) * ITERATIONS;

    expect(run).toMatchObject({ status: "completed", passedVerdicts: total - failing, failedVerdicts: failing });
    const events = await eventsOf(client, runId);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    const ended = events.flatMap((event) =>
      event.kind === "simulation" && event.status !== "running" ? [event.simulationId] : [],
    );
    expect([ended.length, Math.max(...counted(ended))]).toEqual([total, 1]);
    const graded = events.flatMap((event) => (event.kind === "grade" ? [event.simulationId] : []));
    expect([graded.length, Math.max(...counted(graded))]).toEqual([total, 1]);
    expect(events.filter((event) => event.kind === "run").map(({ status }) => status)).toEqual([
      "pending",
      "running",
      "completed",
    ]);

    for (const simulation of simulations) {
      expect(simulation).toMatchObject({ status: "completed", endingReason: "persona_concluded", gradings: 1 });
      expect(simulation.turns.map(({ role, text }) => [role, text])).toEqual(heardIn(numberOf(simulation)));
      expect(simulation.toolCalls.map(({ name, mocked }) => [name, mocked])).toEqual([["look_up", true]]);
      expect(simulation.verdict).toBe(numberOf(simulation) % 3 === 0 ? "failed" : "passed");
      const { turns } = await until("the spans are read", () => client.traces.get({ traceId: simulation.traceId! }));
      expect(turns.map(({ role, text }) => [role === "user" ? "caller" : role, text])).toEqual(
        heardIn(numberOf(simulation)),
      );
    }
    await until("every conversation is listed", async () => (await tracesOf(client)).length >= total);
    expect((await tracesOf(client)).sort()).toEqual(simulations.map(({ traceId }) => traceId!).sort());
    const interrupted = simulations.reduce((sum, { attempt }) => sum + attempt - 1, 0);
    expect(interrupted).toBeGreaterThan(KILLS);
    await killed(child);
  },
);

const numberOf = ({ turns }: Simulation) => Number(/case (\d+)/.exec(turns[0]!.text)![1]);
