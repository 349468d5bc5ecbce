import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunEvent } from "@svc/contract";
import { followRun } from "@svc/sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ChatAgent, type Spoken, startChatAgent } from "../support/chat-agent.ts";
import { chatConnection, simulationsOf, startRun, versionsOf } from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

let server: TestServer;
let agent: ChatAgent;
let dataDir: string;
let answer: (spoken: Spoken) => Promise<object>;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "svc-events-"));
  server = await startServer({ dataDir });
  agent = await startChatAgent((spoken) => answer(spoken));
});
afterAll(async () => {
  agent.stop();
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const politely = async ({ event }: Spoken) => (event === "start" ? {} : { message: "I am fine, bye." });
const never = () => new Promise<never>(() => {});
const saying = (words: string) => ({ scenario: `Caller says:\n- ${words}`, behaviors: ['says "fine"'] });

/** Returns the events in short: statuses, and turns with their number. */
const shortly = (events: readonly RunEvent[]) =>
  events.map((event) =>
    event.kind === "turn" ? `${event.role} ${event.index}` : event.kind === "simulation" ? event.status : event.kind,
  );

async function startTwo(words: [string, string]) {
  const target = await chatConnection(server.client, agent.url);
  const testVersions = await versionsOf(server.client, words.map(saying));
  const run = await startRun(server.client, { ...target, testVersions, caller: "scripted" });
  const simulations = await simulationsOf(server.client, run.id);
  const idOf = (index: number) => simulations.find(({ testVersionId }) => testVersionId === testVersions[index])!.id;
  return { runId: run.id, first: idOf(0), second: idOf(1) };
}

test("the events of one simulation are only its own, and end when its verdict is final, although the run goes on", async () => {
  answer = (spoken) => (spoken.event === "message" && spoken.message === "Wait." ? never() : politely(spoken));
  const { runId, first, second } = await startTwo(["Hello.", "Wait."]);
  const events: RunEvent[] = [];
  for await (const event of followRun(server.client, runId, { simulationId: first })) events.push(event);
  expect(shortly(events)).toEqual(["running", "caller 0", "agent 1", "completed", "grade"]);
  expect(new Set(events.map((event) => "simulationId" in event && event.simulationId))).toEqual(new Set([first]));

  const { run } = await server.client.runs.get({ runId });
  expect(run.status).toBe("running");
  const other = await until("the second one has begun", async () => {
    const page = await server.client.runs.events({ runId, simulationId: second });
    return page.events.some(({ kind }) => kind === "turn") && page;
  });
  expect([shortly(other.events), other.done]).toEqual([["running", "caller 0"], false]);
  const again = await server.client.runs.events({ runId, simulationId: second, after: other.next });
  expect(again).toMatchObject({ events: [], next: other.next, caughtUp: true, done: false });
  await server.client.runs.cancel({ runId });
});

test("a reader of one simulation's events is not woken by the other simulations of the run", async () => {
  const open = Promise.withResolvers<void>();
  answer = async (spoken) => {
    if (spoken.event === "message" && spoken.message === "Wait.") await open.promise;
    return politely(spoken);
  };
  const { runId, first, second } = await startTwo(["Hello.", "Wait."]);
  const { next } = await until("both began", async () => {
    const page = await server.client.runs.events({ runId, simulationId: second });
    return page.events.some(({ kind }) => kind === "turn") && page;
  });
  const reading = server.client.runs.events({ runId, simulationId: second, after: next, wait: 25 });
  await until("the first one is graded", async () => {
    const { simulation } = await server.client.simulations.get({ simulationId: first });
    return simulation.grading === "settled";
  });
  open.resolve();
  const { events } = await reading;
  expect(shortly(events)).toContain("agent 1");
});

test("a simulation of another run has no events in this run", async () => {
  answer = politely;
  const [one, other] = [await startTwo(["Hello.", "Good day."]), await startTwo(["Hello.", "Good day."])];
  await expect(server.client.runs.events({ runId: one.runId, simulationId: other.first })).rejects.toMatchObject({
    status: 404,
  });
});

test("an attempt that a stop of the service interrupted says so, and the next attempt begins", async () => {
  answer = (spoken) => (spoken.event === "message" ? never() : politely(spoken));
  const { runId, first } = await startTwo(["Hello.", "Good day."]);
  await until("the call is under way", async () => {
    const { events } = await server.client.runs.events({ runId, simulationId: first });
    return events.some(({ kind }) => kind === "turn");
  });
  await server.stop();
  answer = politely;
  server = await startServer({ dataDir });
  const events: RunEvent[] = [];
  for await (const event of followRun(server.client, runId, { simulationId: first })) events.push(event);
  const interrupted = ["running", "caller 0", "queued"];
  expect(shortly(events)).toEqual(interrupted.concat("running", "caller 0", "agent 1", "completed", "grade"));
  expect(events[2]).toMatchObject({
    message: "The service stopped during attempt 1. The simulation is played again.",
  });
  const { simulation } = await server.client.simulations.get({ simulationId: first });
  expect(simulation).toMatchObject({ attempt: 2, verdict: "passed" });
});
