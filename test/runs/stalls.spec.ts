import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunEvent } from "@svc/contract";
import { type Client, createClient } from "@svc/sdk";
import { afterAll, describe, expect, test } from "vitest";
import { fileOf } from "../support/code/programs.ts";
import { startChatAgent, useTool } from "../support/chat-agent.ts";
import type { AgentReport } from "../support/keep-alive-agent.ts";
import { drawsOfCases } from "../support/long-form.ts";
import { chatConnection, settled, simulationsOf, startRun, versionsOf } from "../support/runs.ts";
import { startServer } from "../support/server.ts";
import { keySettings } from "../support/secret.ts";
import type { OpenService, Serving } from "../support/service-child.ts";
import { until } from "../support/until.ts";

const casesOf = drawsOfCases();
const SIMULATIONS = 20;
const IMPATIENT_AGENTS: [name: string, env: Record<string, string>, why: RegExp][] = [
  ["apologizes", {}, / while the agent used a tool, and the agent may not have waited for the tool\./],
  ["fails", { FAILS: "yes" }, /and the conversation failed: The agent's endpoint answered with status 500[:.]/],
];
const LINES = ["One.", "Two.", "Three.", "Four."];
const folder = mkdtempSync(join(tmpdir(), "svc-stalls-"));
const children: ChildProcess[] = [];

afterAll(async () => {
  for (const child of children) {
    const gone = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined;
    child.kill("SIGKILL");
    await gone;
  }
  rmSync(folder, { recursive: true, force: true });
});

function started(file: string, env: Record<string, string> = {}): ChildProcess {
  const child = fork(file, {
    execArgv: ["--conditions=svc-source"],
    env: { ...process.env, ...env },
  });
  children.push(child);
  return child;
}

async function startService(name: string) {
  const child = started(fileOf("service-child"));
  const settings = keySettings();
  child.send({ dataDir: join(folder, name), settings } satisfies OpenService);
  const [{ url, projectKey }] = (await once(child, "message")) as [Serving];
  return { child, client: createClient({ baseUrl: url, apiKey: projectKey, retries: 0 }) };
}

async function startAgent(env: Record<string, string> = {}) {
  const child = started(join(import.meta.dirname, "../support/keep-alive-agent.ts"), env);
  const [{ url }] = (await once(child, "message")) as [AgentReport & { url: string }];
  return {
    url,
    async report() {
      child.send("report");
      return ((await once(child, "message")) as [Extract<AgentReport, { connections: number }>])[0];
    },
  };
}

type Agent = Awaited<ReturnType<typeof startAgent>>;

/** Stops the service's process with SIGSTOP while it waits for answers of the agent, until the agent has closed every connection. */
async function stall(service: ChildProcess, agent: Agent): Promise<void> {
  await until("the agent owes answers", async () => (await agent.report()).waiting >= 5);
  service.kill("SIGSTOP");
  await until("the agent has closed every connection", async () => (await agent.report()).connections === 0);
  service.kill("SIGCONT");
}

async function eventsOf(client: Client, runId: string): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for (let after = 0; ;) {
    const page = await client.runs.events({ runId, after });
    if (page.events.length === 0) return events;
    events.push(...page.events);
    after = page.events.at(-1)!.seq;
  }
}

async function runOf(client: Client, agent: Agent, behaviors: string[]) {
  const scenario = `Caller says:\n${LINES.map((line) => `- ${line}`).join("\n")}`;
  const mockTools = [{ tool: "look_up", answer: { found: true } }];
  const testVersions = await versionsOf(client, [{ scenario, behaviors, mockTools }]);
  const target = await chatConnection(client, agent.url);
  return startRun(client, { ...target, testVersions, iterations: SIMULATIONS, concurrency: 10 });
}

/** Expects that each simulation is one conversation in which every turn occurs once. */
async function expectWholeConversations(client: Client, runId: string, toolCalls: number): Promise<void> {
  const simulations = await simulationsOf(client, runId);
  expect(simulations).toHaveLength(SIMULATIONS);
  for (const { id, turns, endingReason, verdict } of simulations) {
    if (verdict === "errored") continue;
    expect(endingReason).toBe("persona_concluded");
    expect(turns.map(({ text }) => text)).toEqual(LINES.flatMap((line) => [line, `You said: ${line}`]));
    const { traces } = await until("the conversation is listed", async () => {
      const page = await client.traces.list({ search: id });
      return page.traces.length > 0 && page;
    });
    expect(traces).toHaveLength(1);
    expect(traces[0]!.spanCount).toBe(1 + 2 * LINES.length + toolCalls);
  }
}

describe.concurrent(
  "a service that stalls for longer than an agent keeps its connections",
  { timeout: 120_000 },
  () => {
    test("after a stall of the service that outlasts the agent's connections, no agent that answers fails, and no response time includes the stall", async () => {
      const [service, agent] = await Promise.all([startService("answers"), startAgent()]);
      const { id } = await runOf(service.client, agent, ['never says "sorry"', "responds within 4 s"]);
      await stall(service.child, agent);
      const run = await settled(service.client, id, 60_000);
      expect(run).toMatchObject({ status: "completed", stopReason: null, failedVerdicts: 0 });
      expect(run.inconclusiveVerdicts).toBeGreaterThan(0);
      expect(run.passedVerdicts + run.inconclusiveVerdicts + run.erroredVerdicts).toBe(SIMULATIONS);
      await expectWholeConversations(service.client, id, 0);
    });

    test.each(casesOf(IMPATIENT_AGENTS, 1))(
      "after a stall of the service that outlasts the agent's connections, a conversation is played again when an agent that waited for a tool %s, and the simulation says why",
      async (name, env, why) => {
        const [service, agent] = await Promise.all([startService(name), startAgent({ GIVES_UP_MS: "4000", ...env })]);
        const { id } = await runOf(service.client, agent, ['never says "sorry"']);
        await stall(service.child, agent);
        const run = await settled(service.client, id, 60_000);
        expect(run).toMatchObject({ status: "completed", stopReason: null, failedVerdicts: 0 });
        // On a machine that stalls again and again, simulations end as errored.
        expect(run.passedVerdicts + run.erroredVerdicts).toBe(SIMULATIONS);
        expect(run.passedVerdicts).toBeGreaterThan(0);
        const again = (await eventsOf(service.client, id)).flatMap((event) =>
          event.kind === "simulation" && event.status === "queued" ? [event] : [],
        );
        expect(again.length).toBeGreaterThan(0);
        for (const { message } of again)
          expect(message).toMatch(/^The service stalled for \d+\.\d s.* played again\.$/);
        expect(again.some(({ message }) => why.test(message!))).toBe(true);
        const replayed = new Set(again.map(({ simulationId }) => simulationId));
        for (const { id: simulationId, attempt } of await simulationsOf(service.client, id))
          expect(attempt > 1).toBe(replayed.has(simulationId));
        await expectWholeConversations(service.client, id, LINES.length);
      },
    );
  },
);

test("a simulation that stalls spoil in every attempt ends as errored, whatever the agent said", async () => {
  const server = await startServer();
  // The agent runs in the same process as the service, so that it can block the service.
  const agent = await startChatAgent(async (spoken) => {
    if (spoken.event === "start") return {};
    await useTool(spoken, "look_up");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
    return { message: "I am sorry, the tool does not answer." };
  });
  try {
    const scenario = "Caller says:\n- One.";
    const mockTools = [{ tool: "look_up", answer: { found: true } }];
    const testVersions = await versionsOf(server.client, [{ scenario, behaviors: ['never says "sorry"'], mockTools }]);
    const { id } = await startRun(server.client, { ...(await chatConnection(server.client, agent.url)), testVersions });
    const run = await settled(server.client, id, 60_000);
    expect(run).toMatchObject({ status: "completed", failedVerdicts: 0, erroredVerdicts: 1 });
    const [simulation] = await simulationsOf(server.client, id);
    expect(simulation).toMatchObject({
      endingReason: "stalled",
      endedBy: "service",
      verdict: "errored",
      attempt: 4,
      grades: [],
      message: expect.stringMatching(/stalled in 4 attempts: give it more CPU/),
    });
  } finally {
    agent.stop();
    await server.stop();
  }
});
