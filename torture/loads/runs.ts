import type { RunEvent, Simulation } from "@svc/contract";
import type { Client } from "@svc/sdk";
import { createClient, tokenPages } from "@svc/sdk";
import { chatConnection, type NewRun, simulationsOf, startRun, versionsOf } from "../../test/support/runs.ts";
import { until } from "../../test/support/until.ts";
import { type ServiceAgent, verdictOf } from "../agent.ts";
import { type Access, isUnknown, type Load } from "./load.ts";

const PAUSE_MS = 300;
const RUNS_AHEAD_MAX = 3;
const SETTLE_MS = 120_000;

/** Starts runs with an idempotency key, and again each start without an answer. Acknowledged: a run, and an ending that was shown. */
export function runLoad(agent: ServiceAgent): Load {
  const started = new Map<string, string>();
  const waiting: string[] = [];
  const ended = new Set<string>();
  let projectKey = "";
  let plan: NewRun;
  let serial = 0;

  const clientAt = (url: string): Client => createClient({ baseUrl: url, apiKey: projectKey, retries: 0 });

  async function prepare({ url, admin }: Access): Promise<void> {
    const { project } = await admin.projects.create({ name: "Runs" });
    projectKey = (await admin.keys.create({ project_id: project.id })).secret;
    const client = clientAt(url);
    const testVersions = await versionsOf(client, agent.scenarios(3));
    plan = { ...(await chatConnection(client, agent.url)), testVersions, iterations: 2, concurrency: 6 };
  }

  async function step({ url }: Access): Promise<void> {
    const client = clientAt(url);
    for (const runId of started.values()) {
      if (!ended.has(runId) && (await client.runs.get({ runId })).run.gradingSettled) ended.add(runId);
    }
    if (started.size - ended.size < RUNS_AHEAD_MAX) {
      const idempotencyKey = waiting.shift() ?? `run ${++serial}`;
      try {
        started.set(idempotencyKey, (await startRun(client, { ...plan, idempotencyKey })).id);
      } catch (error) {
        if (isUnknown(error)) waiting.push(idempotencyKey);
        throw error;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }

  async function faults({ url }: Access): Promise<string[]> {
    const client = clientAt(url);
    const found: string[] = [];
    for (const runId of ended) {
      const { run } = await client.runs.get({ runId });
      if (run.status !== "completed") found.push(`runs: ${runId} was completed and is ${run.status} again`);
    }
    for (const idempotencyKey of waiting.splice(0))
      started.set(idempotencyKey, (await startRun(client, { ...plan, idempotencyKey })).id);
    const listed: string[] = [];
    for await (const { id } of tokenPages("runs", (pageToken) => client.runs.list({ pageSize: 200, pageToken })))
      listed.push(id);
    const ids = new Set(started.values());
    if (listed.length !== ids.size) found.push(`runs: ${listed.length} are listed, ${ids.size} were started`);
    for (const runId of ids) found.push(...(await faultsOfRun(client, runId)));
    return found;
  }

  return {
    name: "runs",
    prepare,
    step,
    faults,
    acknowledged: () => started.size + ended.size,
    plant: () => void started.set("planted", "run_06ft2v8xk3n9q4w7r1y5z0abcd"),
  };
}

/** Returns the faults of a run after its end: each simulation ends once, with the right verdict and one conversation. */
export async function faultsOfRun(client: Client, runId: string): Promise<string[]> {
  const settled = await until(
    `the run ${runId} is settled`,
    async () => (await client.runs.get({ runId })).run.gradingSettled,
    SETTLE_MS,
  ).catch((error: Error) => error);
  if (settled instanceof Error) return [`runs: ${runId} does not end: ${settled.message}`];
  const simulations = await simulationsOf(client, runId);
  const found = simulations.flatMap((simulation) => faultsOf(simulation));
  const events = await eventsOf(client, runId);
  const endings = events.flatMap((event) =>
    event.kind === "simulation" && !["queued", "claimed", "running"].includes(event.status) ? [event.simulationId] : [],
  );
  if (endings.length !== simulations.length || new Set(endings).size !== endings.length)
    found.push(`runs: ${runId} has ${endings.length} endings for ${simulations.length} simulations`);
  return found;
}

function faultsOf({ id, status, verdict, endingReason, traceId, turns, grades }: Simulation): string[] {
  const expected = verdictOf(turns.map(({ text }) => text));
  const shown = `${id} is ${status}, ${verdict}, ${endingReason}`;
  if (verdict === "failed" && expected !== "failed") return [`runs: a false failed: ${shown}`];
  // A time to answer that a stall of the service hides is unknown, and an unknown time decides nothing.
  if (status === "completed" && verdict === "inconclusive" && hasUnknownTime(grades)) return [];
  if (status !== "completed" || verdict !== expected) return [`runs: ${shown} instead of completed, ${expected}`];
  if (traceId === null) return [`runs: ${id} has no conversation`];
  return [];
}

const hasUnknownTime = (grades: Simulation["grades"]): boolean =>
  grades.some(({ verdict, reason }) => verdict === "inconclusive" && / not known/.test(reason ?? ""));

async function eventsOf(client: Client, runId: string): Promise<RunEvent[]> {
  const all: RunEvent[] = [];
  for (let after = 0; ;) {
    const page = await client.runs.events({ runId, after });
    all.push(...page.events);
    after = page.next;
    if (page.caughtUp) return all;
  }
}
