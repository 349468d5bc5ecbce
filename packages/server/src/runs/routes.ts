import { type Run, type RunPlan, snakeCased } from "@svc/contract";
import { AppError } from "../errors.ts";
import { goneSignal } from "../http/gone.ts";
import type { Routes } from "../http/operation.ts";
import { sha256 } from "../secrets.ts";
import { pageRequest } from "../stores/page.ts";
import type { Bridges } from "./lines/platform-b-console.ts";
import type { Changes } from "./changes.ts";
import { openCompare } from "./after/compare.ts";
import type { PlanRuns, Wanted } from "./plan/freeze.ts";
import { eventStream } from "./event-stream.ts";
import { presentListed, presentRun, presentWhole, refuseUnended, type RunRow } from "./rules.ts";
import type { Scheduler } from "./play/scheduler.ts";
import type { RunRequest, RunStore } from "./store/runs.ts";
import type { SimulationTools } from "./play/simulation-tools.ts";

type Runs = {
  store: RunStore;
  plan: PlanRuns;
  scheduler: Scheduler;
  changes: Changes;
  bridges: Bridges;
  tools: SimulationTools;
};

const BRIDGE_WAIT_MS = 25_000;

export function runRoutes({ store, plan, scheduler, changes, bridges, tools }: Runs): Routes<"runs" | "simulations"> {
  const compare = openCompare(store);
  const present = async (run: RunRow) => presentRun(run, (await store.counts([run.id])).get(run.id) ?? []);

  async function create(wanted: Wanted, dryRun: boolean): Promise<{ run: Run } | { plan: RunPlan }> {
    const before = !dryRun && wanted.request && (await store.madeBy(wanted.project.id, wanted.request));
    if (before) return { run: await present(before) };
    const planned = await plan(wanted);
    if (dryRun) return { plan: planned.plan };
    const run = await store.create(planned.made());
    scheduler.look();
    return { run: await present(run) };
  }

  const whole = async (projectId: string, id: string) => {
    const row = await store.simulation(projectId, id);
    return { simulation: presentWhole(row, (await store.gradesOf([row])).get(row.id) ?? []) };
  };

  return {
    runs: {
      create: async ({ project, query, body, headers, http }) => {
        if (query.dryRun) http.state.status = 200;
        const { suiteId, testVersions, agentId, connectionId, ...options } = body;
        const wanted = { project, suiteId, testVersions, agentId, connectionId, ...options };
        return create({ ...wanted, request: requestOf(headers.idempotencyKey, body) }, query.dryRun === true);
      },

      createApi: async ({ project, query, body, headers, http }) => {
        if (query.dry_run) http.state.status = 200;
        const { test_versions: testVersions, agent: agentId, connection: connectionId, project: _, ...options } = body;
        const wanted = { project, testVersions, agentId, connectionId, ...options };
        const answer = await create(
          { ...wanted, request: requestOf(headers.idempotencyKey, body) },
          query.dry_run === true,
        );
        return "plan" in answer ? answer : snakeCased(answer.run);
      },

      list: async ({ project, query }) => {
        const page = await store.list(project.id, query, pageRequest("run", query.pageSize, query.pageToken));
        const counts = await store.counts(page.items.map(({ id }) => id));
        return { runs: page.items.map((run) => presentRun(run, counts.get(run.id) ?? [])), nextPageToken: page.next };
      },

      get: async ({ project, params }) => ({
        run: await present(await store.get(project.id, params.runId)),
      }),

      simulations: async ({ project, params, query }) => {
        const run = await store.get(project.id, params.runId);
        const page = await store.simulations(
          run.id,
          query.verdict,
          pageRequest("sim", query.pageSize, query.pageToken),
        );
        const grades = query.grades ? await store.gradesOf(page.items) : undefined;
        return { simulations: page.items.map((row) => presentListed(row, grades)), nextPageToken: page.next };
      },

      compare: async ({ project, params, query }) => {
        const first = await store.get(project.id, params.runId);
        return { comparison: await compare(first, await store.get(project.id, query.with)) };
      },

      events: async ({ project, params, query, http }) => {
        const { id } = await store.get(project.id, params.runId);
        const after = query.after ?? 0;
        const gone = goneSignal(http.res);
        const changed = query.wait ? changes.next(id, query.wait * 1000, gone) : undefined;
        let done = await store.isSettled(id);
        let page = await store.events(id, after);
        if (page.events.length === 0 && !done && changed) {
          await changed;
          done = await store.isSettled(id);
          page = await store.events(id, after);
        }
        return { ...page, done: done && page.caughtUp };
      },

      stream: async ({ project, params, query, http, stillAdmitted }) => {
        const { id } = await store.get(project.id, params.runId);
        const last = Number(http.headers["last-event-id"]);
        const after = query.after ?? (Number.isSafeInteger(last) && last > 0 ? last : 0);
        http.type = "text/event-stream";
        http.set("X-Accel-Buffering", "no");
        const read = (from: number) => store.events(id, from);
        return eventStream({
          runId: id,
          after,
          changes,
          read,
          isDone: () => store.isSettled(id),
          mayGoOn: stillAdmitted,
          signal: goneSignal(http.res),
        });
      },

      cancel: async ({ project, params }) => {
        const { id } = await store.get(project.id, params.runId);
        await store.cancel(id, "canceled_by_user");
        scheduler.stopRun(id);
        return { run: await present(await store.get(project.id, id)) };
      },
    },
    simulations: {
      get: ({ project, params }) => whole(project.id, params.simulationId),

      regrade: async ({ project, params }) => {
        const row = await store.simulation(project.id, params.simulationId);
        refuseUnended(row);
        await store.startGrading(row.id);
        scheduler.grade(row.id);
        return whole(project.id, row.id);
      },

      veto: async ({ project, params, body }) => {
        const row = await store.simulation(project.id, params.simulationId);
        refuseUnended(row);
        await store.veto(row, body.reason);
        return whole(project.id, row.id);
      },

      useTool: async ({ params, body, http }) =>
        tools.answer(params.simulationId, http.headers.authorization ?? "", {
          id: body.id ?? null,
          name: params.tool,
          arguments: body.arguments ?? {},
        }),

      bridge: async ({ project, params, body, http }) => {
        const row = await store.simulation(project.id, params.simulationId);
        const carried = await bridges.carry(row.id, body, BRIDGE_WAIT_MS, goneSignal(http.res));
        if (carried) return carried;
        const over = row.ended_at !== null;
        if (!over && body.answered) {
          throw new AppError("conflict", "This conversation is not under way; ask again without an answer.");
        }
        return { message: null, over };
      },
    },
  };
}

function requestOf(key: string | undefined, body: unknown): RunRequest | undefined {
  return key === undefined ? undefined : { key, bodySha256: sha256(JSON.stringify(body)) };
}
