import { type Run, type RunPlan, snakeCased } from "@svc/contract";
import type { Caller, Project } from "../access/caller.ts";
import type { AgentStore } from "../agents/store/agents.ts";
import { AppError, notFound } from "../base/errors.ts";
import { goneSignal } from "../http/gone.ts";
import type { Routes } from "../http/operation.ts";
import { mapInSlices } from "../base/async/in-slices.ts";
import { sha256 } from "../base/secrets/secrets.ts";
import { pageRequest } from "../stores/page.ts";
import type { TestStore } from "../authoring/test-definitions/store.ts";
import { compareStoredRuns } from "./after/compare-runs.ts";
import type { Changes } from "./changes.ts";
import type { Bridges } from "./lines/bridge.ts";
import type { ToolCallbacks } from "./lines/tool-callbacks.ts";
import type { FreezeRun, RunOptions } from "./plan/freeze.ts";
import type { ReadPlayedPairs } from "./plan/played-pairs.ts";
import { repeatOf } from "./plan/repeat.ts";
import type { Scheduler } from "./play/scheduler.ts";
import { presentAgentPassRate, presentTestPassRate } from "./present-pass-rates.ts";
import { presentListedSimulation, presentSimulation, type SimulationFacts } from "./present.ts";
import { createRunResults } from "./results.ts";
import { refuseErased, refuseUnended, type RunRow, type SimulationSummaryRow } from "./rules.ts";
import type { PresentRuns } from "./present-runs.ts";
import type { StartRun } from "./start-run.ts";
import type { IdempotentRequest, RunStore } from "./store/runs.ts";

type Needs = {
  store: RunStore;
  tests: TestStore;
  agents: AgentStore;
  freezeRun: FreezeRun;
  startRun: StartRun;
  cancelRun: (runId: string) => Promise<void>;
  readPlayedPairs: ReadPlayedPairs;
  readNotes: (run: RunRow) => Promise<string[]>;
  scheduler: Scheduler;
  changes: Changes;
  bridges: Bridges;
  callbacks: ToolCallbacks;
  presentAll: PresentRuns;
};

const BRIDGE_WAIT_MS = 25_000;
const DAY_MS = 86_400_000;
const USAGE_DAYS = 30;

export function runRoutes({
  store,
  tests,
  agents,
  freezeRun,
  startRun,
  cancelRun,
  readPlayedPairs,
  readNotes,
  scheduler,
  changes,
  bridges,
  callbacks,
  presentAll,
}: Needs): Routes<"runs" | "simulations"> {
  const results = createRunResults(store, tests, agents);

  /** Returns the names of the agents of runs. All runs must belong to one project. */
  const agentNames = async (runs: readonly RunRow[]) =>
    runs.length === 0
      ? new Map<string, string>()
      : agents.mapNames(
          runs[0]!.project_id,
          runs.map(({ agent_id }) => agent_id),
        );

  const present = async (run: RunRow) => (await presentAll([run]))[0]!;

  async function create(
    { project, caller }: { project: Project; caller: Caller },
    options: RunOptions,
    request: IdempotentRequest | undefined,
    isDryRun: boolean,
  ): Promise<{ run: Run } | { plan: RunPlan }> {
    if (isDryRun) return { plan: await (await freezeRun(project, options)).plan() };
    return { run: await present(await startRun(project, caller, options, request)) };
  }

  const showSimulation = async (projectId: string, id: string) => {
    const row = await store.getSimulation(projectId, id);
    const grades = (await store.gradesOf([row])).get(row.id) ?? [];
    return { simulation: presentSimulation(row, await factsOf(row.run_id, [row]), grades) };
  };

  async function factsOf(runId: string, rows: readonly SimulationSummaryRow[]): Promise<SimulationFacts> {
    const versions = await tests.mapVersionNumbers(rows.map(({ test_version_id }) => test_version_id));
    return { versions, queued: rows.some(({ status }) => status === "queued") ? await store.listQueued(runId) : [] };
  }

  return {
    runs: {
      create: async ({ project, caller, query, body, headers, http }) => {
        if (query.dryRun) http.state.status = 200;
        return create({ project, caller }, body, requestOf(headers.idempotencyKey, body), query.dryRun === true);
      },

      createApi: async ({ project, caller, query, body, headers, http }) => {
        if (query.dry_run) http.state.status = 200;
        const {
          test_versions: testVersions,
          agent: agentId,
          connection: connectionId,
          allow_ungraded: allowUngraded,
          max_cost: maxCost,
          ...rest
        } = body;
        const options = { ...rest, testVersions, agentId, connectionId, allowUngraded, maxCost };
        const request = requestOf(headers.idempotencyKey, body);
        const answer = await create({ project, caller }, options, request, query.dry_run === true);
        return "plan" in answer ? answer : snakeCased(answer.run);
      },

      rerun: async ({ project, caller, params, body, headers }) => {
        const earlier = await store.get(project.id, params.runId);
        const options = repeatOf(earlier, await readPlayedPairs(project.id, earlier.id), body);
        const request = requestOf(headers.idempotencyKey, { runId: earlier.id, ...body });
        return { run: await present(await startRun(project, caller, options, request)) };
      },

      list: async ({ project, query }) => {
        const page = await store.list(project.id, query, pageRequest("run", query.pageSize, query.pageToken));
        return { runs: await presentAll(page.items), nextPageToken: page.next };
      },

      get: async ({ project, params }) => {
        const run = await store.get(project.id, params.runId);
        return { run: { ...(await present(run)), notes: await readNotes(run) } };
      },

      simulations: async ({ project, params, query }) => {
        const run = await store.get(project.id, params.runId);
        const page = pageRequest("sim", query.pageSize, query.pageToken);
        const { items, next } = await store.listSimulations(run.id, query, page);
        const facts = await factsOf(run.id, items);
        const grades = query.grades ? await store.gradesOf(items) : undefined;
        return {
          simulations: await mapInSlices(items, (row) => presentListedSimulation(row, facts, grades)),
          nextPageToken: next,
        };
      },

      grid: async ({ project, params }) => ({
        grid: await results.grid(await store.get(project.id, params.runId)),
      }),

      behaviors: async ({ project, params, query }) =>
        results.behaviors(await store.get(project.id, params.runId), query),

      compare: async ({ project, params, query }) => {
        const first = await store.get(project.id, params.runId);
        const second = await store.get(project.id, query.with);
        return { comparison: await compareStoredRuns(store, first, second, await agentNames([first, second])) };
      },

      passRatesOfTest: async ({ project, params: { testId }, query }) => {
        await tests.listVersions(project.id, testId, { limit: 1, before: undefined });
        const { agentId, testVersionId } = query;
        const page = pageRequest("run", query.pageSize, query.pageToken);
        const { items, next } = await store.listVerdictsOfTest(project.id, { testId, testVersionId, agentId }, page);
        const names = await agentNames(items.map(({ run }) => run));
        const versions = await tests.mapVersionNumbers(
          items.flatMap(({ verdicts }) => verdicts.map((counted) => counted.testVersionId)),
        );
        return {
          passRates: items.map((item) => presentTestPassRate(item, names.get(item.run.agent_id)!, versions)),
          nextPageToken: next,
        };
      },

      resultsOfTests: async ({ project, query }) => {
        const page = await results.ofTests(project.id, query, pageRequest("tst", query.pageSize, query.pageToken));
        return { results: page.items, nextPageToken: page.next };
      },

      usage: async ({ project, query }) => {
        const to = query.to === undefined ? Date.now() : Date.parse(query.to);
        const from = query.from === undefined ? to - USAGE_DAYS * DAY_MS : Date.parse(query.from);
        const [begin, end] = [new Date(from).toISOString(), new Date(to).toISOString()];
        return { usage: { from: begin, to: end, ...(await store.sumUsage(project.id, begin, end)) } };
      },

      passRatesOfAgent: async ({ project, params, query }) => {
        const agent = await agents.get(project.id, params.agentId);
        const page = pageRequest("run", query.pageSize, query.pageToken);
        const { items, next } = await store.listVerdictsOfAgent(project.id, agent.id, page);
        return { passRates: items.map(presentAgentPassRate), nextPageToken: next };
      },

      events: async ({ project, params, query, http }) => {
        const { id } = await store.get(project.id, params.runId);
        const { simulationId } = query;
        const isDone = async () => {
          if (simulationId === undefined) return store.isDone(id);
          const row = await store.findSimulation(project.id, simulationId);
          if (row?.run_id !== id) throw notFound();
          return row.ended_at !== null && row.grading === "settled";
        };
        const gone = goneSignal(http.res);
        const untilMs = performance.now() + (query.wait ?? 0) * 1000;
        for (let after = query.after ?? 0; ;) {
          const leftMs = untilMs - performance.now();
          const changed = leftMs > 0 ? changes.next(id, leftMs, gone) : undefined;
          const done = await isDone();
          const page = await store.listEvents(id, after, simulationId);
          // A change may be one of another simulation.
          if (page.events.length > 0 || done || changed === undefined || !(await changed))
            return { ...page, done: done && page.caughtUp };
          after = page.next;
        }
      },

      cancel: async ({ project, params }) => {
        const { id } = await store.get(project.id, params.runId);
        await cancelRun(id);
        return { run: await present(await store.get(project.id, id)) };
      },
    },
    simulations: {
      get: ({ project, params }) => showSimulation(project.id, params.simulationId),

      regrade: async ({ project, params }) => {
        const row = await store.getSimulation(project.id, params.simulationId);
        refuseUnended(row);
        refuseErased(row);
        await store.startGrading(row.id);
        scheduler.grade(row.id);
        return showSimulation(project.id, row.id);
      },

      veto: async ({ project, params, body }) => {
        const row = await store.getSimulation(project.id, params.simulationId);
        refuseUnended(row);
        await store.veto(row, body.reason);
        return showSimulation(project.id, row.id);
      },

      useTool: {
        admit: ({ params, http }) => callbacks.requireToken(params.simulationId, http.headers.authorization ?? ""),
        handle: ({ params, body, http }) =>
          callbacks.answer(
            params.simulationId,
            http.headers.authorization ?? "",
            { id: body.id ?? null, name: params.tool, arguments: body.arguments ?? {} },
            goneSignal(http.res),
          ),
      },

      bridge: async ({ project, params, body, http }) => {
        const row = await store.getSimulation(project.id, params.simulationId);
        const carried = await bridges.carry(row, body, BRIDGE_WAIT_MS, goneSignal(http.res));
        if (carried) return carried;
        const over = row.ended_at !== null;
        if (!over && body.answered) {
          throw new AppError(
            "conflict",
            "This conversation is not under way; send the request again without an answer.",
          );
        }
        return { message: null, over };
      },
    },
  };
}

function requestOf(key: string | undefined, body: unknown): IdempotentRequest | undefined {
  return key === undefined ? undefined : { key, bodySha256: sha256(JSON.stringify(body)) };
}
