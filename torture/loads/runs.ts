import type { RunEvent, Simulation } from "@svc/contract";
import type { Client } from "@svc/sdk";
import { createClient, pages } from "@svc/sdk";
import { chatConnection, type NewRun, simulationsOf, startRun, versionsOf } from "../../test/support/runs.ts";
import { until } from "../../test/support/until.ts";
import { type ServiceAgent, verdictOf, wordsOfCase } from "../agent.ts";
import { type Access, isUnknown, lastingFaults, type Load } from "./load.ts";

const PAUSE_MS = 300;
const RUNS_AHEAD_MAX = 3;
const SETTLE_MS = 120_000;
const SAMPLE = 12;

/**
 * Starts runs with an idempotency key, and repeats each start without an answer. The acknowledged facts are the runs, and the
 * endings that the service showed.
 */
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

  async function faults(access: Access): Promise<string[]> {
    const { url, draws, waitMs } = access;
    const client = clientAt(url);
    const found: string[] = [];
    for (const runId of ended) {
      const { run } = await client.runs.get({ runId });
      if (run.status !== "completed") found.push(`runs: ${runId} was completed and is ${run.status} again`);
    }
    for (const idempotencyKey of waiting.splice(0))
      started.set(idempotencyKey, (await startRun(client, { ...plan, idempotencyKey })).id);
    const listed: string[] = [];
    for await (const { id } of pages(client.runs.list, { pageSize: 200 })) listed.push(id);
    const ids = new Set(started.values());
    if (listed.length !== ids.size) found.push(`runs: ${listed.length} are listed, ${ids.size} were started`);
    for (const runId of ids) found.push(...(await faultsOfRun(client, runId, { waitMs })));
    if (found.length > 0) return found;
    const simulations: { id: string; traceId: string | null }[] = [];
    for (const runId of ids) simulations.push(...(await client.runs.simulations({ runId, pageSize: 200 })).simulations);
    found.push(...(await lastingFaults(access, async () => faultsOfTraces(simulations, await tracesOf(client)))));
    for (let sample = 0; sample < Math.min(SAMPLE, simulations.length); sample++)
      found.push(...(await faultsOfWords(client, draws.pick(simulations).id)));
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

/**
 * Returns the faults of a run after its end. Each simulation must end once, with the right verdict and one conversation. With
 * `mayStall`, stalls may have made all attempts at a simulation fail.
 */
export async function faultsOfRun(
  client: Client,
  runId: string,
  { waitMs = SETTLE_MS, mayStall = false }: { waitMs?: number | undefined; mayStall?: boolean } = {},
): Promise<string[]> {
  const settled = await until(
    `the run ${runId} is settled`,
    async () => (await client.runs.get({ runId })).run.gradingSettled,
    waitMs,
  ).catch((error: Error) => error);
  if (settled instanceof Error) return [`runs: ${runId} does not end: ${settled.message}`];
  const simulations = await simulationsOf(client, runId);
  const found = simulations.flatMap((simulation) =>
    mayStall && simulation.endingReason === "stalled" ? [] : faultsOfSimulation(simulation),
  );
  const events = await eventsOf(client, runId);
  const endings = events.flatMap((event) =>
    event.kind === "simulation" && !["queued", "claimed", "running"].includes(event.status) ? [event.simulationId] : [],
  );
  if (endings.length !== simulations.length || new Set(endings).size !== endings.length)
    found.push(`runs: ${runId} has ${endings.length} endings for ${simulations.length} simulations`);
  if (events.some(({ seq }, at) => seq !== at + 1))
    found.push(`runs: the events of ${runId} are not numbered in order`);
  const graded = events.flatMap((event) => (event.kind === "grade" ? [event.simulationId] : []));
  if (new Set(graded).size !== graded.length) found.push(`runs: a simulation of ${runId} was graded twice`);
  return found;
}

/**
 * Returns the faults of a project's conversations. Each simulation must have one conversation, and each conversation must belong to
 * a simulation.
 */
export function faultsOfTraces(
  simulations: readonly Pick<Simulation, "id" | "traceId">[],
  traceIds: readonly string[],
): string[] {
  const listed = new Set(traceIds);
  const known = new Set(simulations.map(({ traceId }) => traceId));
  return [
    ...simulations
      .filter(({ traceId }) => traceId !== null && !listed.has(traceId))
      .map(({ id }) => `runs: the conversation of ${id} is not listed`),
    ...traceIds.filter((id) => !known.has(id)).map((id) => `runs: the conversation ${id} belongs to no simulation`),
    ...(listed.size < traceIds.length ? ["runs: a conversation is listed twice"] : []),
  ];
}

/** Returns the faults of a simulation's words and tool calls, and of those in its conversation. */
async function faultsOfWords(client: Client, simulationId: string): Promise<string[]> {
  const { simulation } = await client.simulations.get({ simulationId });
  const { id, traceId, turns, toolCalls } = simulation;
  const expected = JSON.stringify(wordsOfCase(turns.map(({ text }) => text ?? "")));
  const found: string[] = [];
  if (JSON.stringify(turns.map(({ role, text }) => [role, text])) !== expected)
    found.push(`runs: the words of ${id} differ: ${JSON.stringify(turns)}`);
  if (toolCalls.length !== 1 || !toolCalls[0]!.mocked) found.push(`runs: ${id} has ${toolCalls.length} tool calls`);
  if (traceId === null) return found;
  const trace = await client.traces.get({ traceId });
  const read = trace.turns.map(({ role, text }) => [role === "user" ? "caller" : role, text]);
  if (JSON.stringify(read) !== expected) found.push(`runs: the conversation of ${id} has other words`);
  return found;
}

async function tracesOf(client: Client): Promise<string[]> {
  const ids: string[] = [];
  for await (const { traceId } of pages(client.traces.list, { pageSize: 200 })) ids.push(traceId);
  return ids;
}

/** Returns the faults of a simulation. Its words decide which ending and verdict are right. */
export function faultsOfSimulation({
  id,
  status,
  verdict,
  endingReason,
  traceId,
  turns,
  grades,
}: Simulation): string[] {
  const expected = verdictOf(turns.map(({ text }) => text ?? ""));
  const shown = `${id} is ${status}, ${verdict}, ${endingReason}`;
  if (verdict === "failed" && expected !== "failed") return [`runs: a false failed: ${shown}`];
  // When a stall of the service hides the time of an answer, the time is unknown, and the verdict may be inconclusive.
  if (status === "completed" && verdict === "inconclusive" && hasUnknownTime(grades)) return [];
  if (status !== "completed" || verdict !== expected) return [`runs: ${shown} instead of completed, ${expected}`];
  if (traceId === null) return [`runs: ${id} has no conversation`];
  return [];
}

const hasUnknownTime = (grades: Simulation["grades"]): boolean =>
  grades.some(
    ({ verdict, reason }) => verdict === "inconclusive" && / not known|^No response time is known/.test(reason ?? ""),
  );

async function eventsOf(client: Client, runId: string): Promise<RunEvent[]> {
  const all: RunEvent[] = [];
  for (let after = 0; ;) {
    const page = await client.runs.events({ runId, after });
    all.push(...page.events);
    after = page.next;
    if (page.caughtUp) return all;
  }
}
