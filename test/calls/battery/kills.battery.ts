import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunEvent } from "@svc/contract";
import { type Client, createClient } from "@svc/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FakeVoiceAgent, startFakeVoiceAgent } from "../../support/calls/fake-voice-agent.ts";
import { childrenOf, isAlive } from "../../support/calls/processes.ts";
import { settled, simulationsOf, startRun, versionsOf, voiceConnection } from "../../support/runs.ts";
import { keySettings } from "../../support/secret.ts";
import type { OpenService, Serving } from "../../support/service-child.ts";
import { until } from "../../support/until.ts";

const CALLS = 3;
const WAIT_MS = 200_000;
/** A media process is stopped for this long. The times of a call with such a gap are not reliable. */
const FROZEN_MS = 200;
const folder = mkdtempSync(join(tmpdir(), "svc-call-kills-"));
const settings = keySettings();
const services: ChildProcess[] = [];
let agent: FakeVoiceAgent;

beforeAll(async () => {
  agent = await startFakeVoiceAgent({
    answers(call) {
      call.say(0.7);
      call.onCallersTurn((turn) => (turn === 2 ? call.socket.close(1000) : call.say(3)));
    },
  });
});
afterAll(() => {
  for (const service of services) service.kill("SIGKILL");
  agent.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function startService(): Promise<{ service: ChildProcess; client: Client }> {
  const service = fork(join(import.meta.dirname, "../../support/service-child.ts"), {
    execArgv: ["--conditions=svc-source"],
  });
  services.push(service);
  service.send({ dataDir: join(folder, "data"), settings } satisfies OpenService);
  const [{ url, projectKey }] = (await once(service, "message")) as [Serving];
  return { service, client: createClient({ baseUrl: url, apiKey: projectKey, retries: 0 }) };
}

async function startCalls(client: Client, behaviors = ["ends the call"]): Promise<string> {
  const target = await voiceConnection(client, agent.urlOf("answers"));
  const scenario = "Says: Hello, I need a room.\nSays: No, thank you. Goodbye.";
  const testVersions = await versionsOf(client, [{ scenario, behaviors }]);
  return (await startRun(client, { ...target, testVersions, iterations: CALLS, caller: "scripted" })).id;
}

async function eventsOf(client: Client, runId: string): Promise<RunEvent[]> {
  const all: RunEvent[] = [];
  for (let after = 0; ;) {
    const { events, next } = await client.runs.events({ runId, after });
    if (events.length === 0) return all;
    all.push(...events);
    after = next;
  }
}

/** Waits until every call of the run has a turn, and returns the media processes. */
async function inMidCall(service: ChildProcess, client: Client, runId: string): Promise<number[]> {
  await until("turns in every call", async () => {
    const turns = (await eventsOf(client, runId)).filter(({ kind }) => kind === "turn");
    return new Set(turns.map((turn) => (turn as { simulationId: string }).simulationId)).size === CALLS;
  });
  return childrenOf(service.pid!);
}

async function expectOneEndEach(client: Client, runId: string): Promise<void> {
  await settled(client, runId, WAIT_MS);
  const simulations = await simulationsOf(client, runId);
  expect(simulations.map(({ endingReason, verdict }) => [endingReason, verdict])).toEqual(
    Array.from({ length: CALLS }, () => ["agent_ended", "passed"]),
  );
  expect(Math.min(...simulations.map(({ attempt }) => attempt))).toBeGreaterThan(1);
  const ends = (await eventsOf(client, runId)).filter((event) => event.kind === "simulation" && event.reason !== null);
  expect(ends).toHaveLength(CALLS);
}

describe("kill -9 in the middle of calls", () => {
  test("every simulation says why it is played again and ends once when the media process is killed", async () => {
    const { service, client } = await startService();
    const runId = await startCalls(client);
    const media = await inMidCall(service, client, runId);
    expect(media.length).toBeGreaterThan(0);
    for (const pid of media) process.kill(pid, "SIGKILL");
    await expectOneEndEach(client, runId);
    const again = (await eventsOf(client, runId)).flatMap((event) =>
      event.kind === "simulation" && event.status === "queued" && event.message !== null ? [event.message] : [],
    );
    expect(again.filter((message) => /media process .* ended/.test(message))).toHaveLength(CALLS);
    service.kill("SIGKILL");
    await once(service, "exit");
  });

  test("the media processes end with the service, and the next start plays every simulation to one end", async () => {
    const { service, client } = await startService();
    const runId = await startCalls(client);
    const media = await inMidCall(service, client, runId);
    service.kill("SIGKILL");
    await once(service, "exit");
    await until("the end of the media processes", () => !media.some(isAlive));
    const next = await startService();
    await expectOneEndEach(next.client, runId);
    const left = childrenOf(next.service.pid!);
    next.service.kill("SIGTERM");
    await once(next.service, "exit");
    await until("the end of the media processes", () => !left.some(isAlive));
  });
});

test("a media process that freezes in every attempt leaves calls that say so, and no verdict on their times", async () => {
  const { service, client } = await startService();
  const runId = await startCalls(client, ["responds within 3 s", "no silence over 5 s"]);
  const freezing = setInterval(() => {
    const media = childrenOf(service.pid!);
    for (const pid of media) process.kill(pid, "SIGSTOP");
    setTimeout(() => media.filter(isAlive).forEach((pid) => process.kill(pid, "SIGCONT")), FROZEN_MS);
  }, 1_000);
  try {
    await settled(client, runId, WAIT_MS);
  } finally {
    clearInterval(freezing);
  }
  for (const simulation of await simulationsOf(client, runId)) {
    expect(simulation).toMatchObject({ endingReason: "agent_ended", verdict: "inconclusive", attempt: 3 });
    expect(simulation.message).toMatch(/the times of the call are unreliable\. No verdict depends on them\.$/);
    const behaviors = simulation.grades.filter(({ decidedBy }) => decidedBy === "check");
    expect(behaviors.map(({ verdict }) => verdict)).toEqual(["inconclusive", "inconclusive"]);
  }
  service.kill("SIGKILL");
  await once(service, "exit");
});
