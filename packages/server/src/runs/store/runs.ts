import type { Run, RunStatus, RunUsage, SimulationStatus, Verdict } from "@svc/contract";
import { sql } from "kysely";
import { type FindProjects, readProject } from "../../access/projects.ts";
import { findAgent } from "../../agents/store/find-agent.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { type Page, type PageRequest, readPage } from "../../stores/page.ts";
import { projectOfRow } from "../../stores/project-of-row.ts";
import type { Db } from "../../stores/relational.ts";
import {
  agentArchived,
  type RunRow,
  type SimulationCount,
  type SimulationRow,
  type SimulationSummaryRow,
} from "../rules.ts";
import { SUMMARY } from "./columns.ts";
import { appendEvent, type EventPage, readEvents } from "./events.ts";
import { createGradingStore, type GradingStore } from "./grading.ts";
import { createHistoryStore, type HistoryStore } from "./history.ts";
import { isRunDone, readRun } from "./outcome-events.ts";
import { createPassRateStore, type PassRateStore } from "./pass-rates.ts";
import { createLeaseStore, leaseOf, type LeaseStore } from "./leases.ts";
import { countSimulations, findStarters } from "./run-facts.ts";
import { createSimulationQueue, type SimulationQueue } from "./queue.ts";
import { createWriteRun } from "./writing.ts";

const INSERT_ROWS = 200;

/** Identity of a request that creates a run: its Idempotency-Key and the SHA-256 of its body. */
export type IdempotentRequest = { key: string; bodySha256: string };

export type NewRun = { run: RunRow; simulations: SimulationRow[]; request: IdempotentRequest | undefined };

type RunFilter = {
  agentId?: string | undefined;
  suiteId?: string | undefined;
  scheduleId?: string | undefined;
  testId?: string | undefined;
  status?: RunStatus | undefined;
};

type SimulationFilter = {
  verdict?: Verdict | undefined;
  testId?: string | undefined;
  personaId?: string | undefined;
  status?: SimulationStatus | undefined;
};

export type RunStore = SimulationQueue &
  LeaseStore &
  GradingStore &
  HistoryStore &
  PassRateStore & {
    /** Returns the run that the same request created. Throws `conflict` when its Idempotency-Key was sent with another body. */
    findByRequest: (projectId: string, request: IdempotentRequest) => Promise<RunRow | undefined>;
    /**
     * Creates the run with its simulations, or returns the run that the same request created earlier. Throws
     * `parent_agent_archived` when the agent was archived in the meantime.
     */
    create: (run: NewRun) => Promise<RunRow>;
    /** Calls `also` and then creates the run as `create` does, in one transaction. Creates nothing when `also` returns false. */
    createAlso: (run: NewRun, also: (tx: Db) => Promise<boolean>) => Promise<RunRow | undefined>;
    get: (projectId: string, id: string) => Promise<RunRow>;
    findProjects: FindProjects;
    findProjectsOfSimulation: FindProjects;
    /** Returns a run of any project. */
    readRun: (id: string) => Promise<RunRow>;
    list: (projectId: string, filter: RunFilter, page: PageRequest) => Promise<Page<RunRow>>;
    sumUsage: (projectId: string, from: string, to: string) => Promise<Omit<RunUsage, "from" | "to">>;
    findStarters: (runIds: string[]) => Promise<Map<string, NonNullable<Run["startedBy"]>>>;
    countSimulations: (runIds: string[]) => Promise<Map<string, SimulationCount[]>>;
    isDone: (runId: string) => Promise<boolean>;
    getSimulation: (projectId: string, id: string) => Promise<SimulationRow>;
    findSimulation: (projectId: string, id: string) => Promise<SimulationSummaryRow | undefined>;
    /** Returns a simulation of any project. */
    readSimulation: (id: string) => Promise<SimulationRow>;
    listSimulations: (
      runId: string,
      filter: SimulationFilter,
      page: PageRequest,
    ) => Promise<Page<SimulationSummaryRow>>;
    /** In the order of personas and iterations. */
    listAllSimulations: (runId: string) => Promise<SimulationSummaryRow[]>;
    listSimulationsWithTranscripts: (runId: string, page: PageRequest) => Promise<Page<SimulationRow>>;
    listSimulationIds: (projectId: string, runId: string) => Promise<string[]>;
    listSimulationIdsWithVerdict: (projectId: string, verdict: Verdict, limit: number) => Promise<string[]>;
    getSpanOrigin: (run: RunRow) => Promise<{ projectNumber: number; agentName: string }>;
    /** Oldest first; with `simulationId`, only the events of this simulation. */
    listEvents: (runId: string, after: number, simulationId?: string) => Promise<EventPage>;
  };

/** Calls `changed` with the id of a run after each write to the run. */
export function createRunStore(db: Db, changed: (runId: string) => void, leaseMs: number): RunStore {
  const lease = leaseOf(db, leaseMs);
  const write = createWriteRun(db, changed);
  const simulationOf = (projectId: string, id: string) =>
    db.selectFrom("simulations").where("project_id", "=", projectId).where("id", "=", id);

  const createAlso: RunStore["createAlso"] = (newRun, also) =>
    write({ run_id: newRun.run.id, project_id: newRun.run.project_id }, async (tx) => {
      const { run, request } = newRun;
      const createdId = request && (await findRequest(tx, run.project_id, request));
      if (createdId !== undefined) return readRun(tx, createdId);
      if (!(await also(tx))) return undefined;
      await insertRun(tx, newRun);
      return run;
    });

  return {
    ...createSimulationQueue(db, write, lease),
    ...createLeaseStore(db, write, lease),
    ...createGradingStore(db, write, lease),
    ...createHistoryStore(db),
    ...createPassRateStore(db),

    async findByRequest(projectId, request) {
      const runId = await findRequest(db, projectId, request);
      return runId === undefined ? undefined : readRun(db, runId);
    },

    create: async (newRun) => (await createAlso(newRun, async () => true))!,

    createAlso,

    get: (projectId, id) =>
      db
        .selectFrom("runs")
        .selectAll()
        .where("project_id", "=", projectId)
        .where("id", "=", id)
        .executeTakeFirstOrThrow(notFound),

    readRun: (id) => readRun(db, id),

    list(projectId, { agentId, suiteId, scheduleId, testId, status }, page) {
      let query = db.selectFrom("runs").selectAll().where("project_id", "=", projectId);
      if (agentId) query = query.where("agent_id", "=", agentId);
      if (suiteId) query = query.where("suite_id", "=", suiteId);
      if (scheduleId) query = query.where("schedule_id", "=", scheduleId);
      if (status) query = query.where("status", "=", status);
      if (testId) query = query.where(playsTest(testId));
      return readPage(query, page);
    },

    sumUsage: (projectId, from, to) =>
      db
        .selectFrom("runs")
        .select(({ fn }) => [
          fn.countAll<number>().as("runs"),
          fn.coalesce(fn.sum<number>("judge_requests"), sql.lit(0)).as("judgeRequests"),
          fn.coalesce(fn.sum<number>("judge_input_tokens"), sql.lit(0)).as("judgeInputTokens"),
          fn.coalesce(fn.sum<number>("judge_cached_input_tokens"), sql.lit(0)).as("judgeCachedInputTokens"),
          fn.coalesce(fn.sum<number>("judge_output_tokens"), sql.lit(0)).as("judgeOutputTokens"),
          fn.coalesce(fn.sum<number>("judge_cost"), sql.lit(0)).as("judgeCost"),
          sql<number>`count(*) - count(judge_cost)`.as("runsWithoutCost"),
        ])
        .where("project_id", "=", projectId)
        .where("created_at", ">=", from)
        .where("created_at", "<", to)
        .executeTakeFirstOrThrow(),

    findStarters: (runIds) => findStarters(db, runIds),

    countSimulations: (runIds) => countSimulations(db, runIds),

    isDone: (runId) => isRunDone(db, runId),

    findProjects: (id) => projectOfRow(db, "runs", id),
    findProjectsOfSimulation: (id) => projectOfRow(db, "simulations", id),

    getSimulation: (projectId, id) => simulationOf(projectId, id).selectAll().executeTakeFirstOrThrow(notFound),

    findSimulation: (projectId, id) => simulationOf(projectId, id).select(SUMMARY).executeTakeFirst(),

    readSimulation: (id) => db.selectFrom("simulations").selectAll().where("id", "=", id).executeTakeFirstOrThrow(),

    listSimulations(runId, { verdict, testId, personaId, status }, page) {
      let query = db.selectFrom("simulations").select(SUMMARY).where("run_id", "=", runId);
      if (verdict) query = query.where("verdict", "=", verdict);
      if (testId) query = query.where("test_id", "=", testId);
      if (personaId) query = query.where("persona_id", "=", personaId);
      if (status) query = query.where("status", "=", status);
      return readPage(query, page);
    },

    listAllSimulations: (runId) =>
      db
        .selectFrom("simulations")
        .select(SUMMARY)
        .where("run_id", "=", runId)
        .orderBy("persona_name")
        .orderBy("persona_id")
        .orderBy("iteration")
        .execute(),

    listSimulationsWithTranscripts: (runId, page) =>
      readPage(db.selectFrom("simulations").selectAll().where("run_id", "=", runId), page),

    async listSimulationIds(projectId, runId) {
      const ofRun = db.selectFrom("simulations").select("id").where("run_id", "=", runId);
      return (await ofRun.where("project_id", "=", projectId).execute()).map(({ id }) => id);
    },

    async listSimulationIdsWithVerdict(projectId, verdict, limit) {
      const rows = await db
        .selectFrom("simulations")
        .select("id")
        .where("project_id", "=", projectId)
        .where("verdict", "=", verdict)
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },

    async getSpanOrigin(run) {
      const [project, agent] = await Promise.all([
        readProject(db, run.project_id),
        findAgent(db, run.project_id, run.agent_id),
      ]);
      return { projectNumber: project.number, agentName: agent.name };
    },

    listEvents: (runId, after, simulationId) => readEvents(db, runId, after, simulationId),
  };
}

const playsTest = (testId: string) =>
  sql<boolean>`EXISTS (SELECT 1 FROM simulations WHERE run_id = runs.id AND test_id = ${testId})`;

async function insertRun(tx: Db, { run, simulations, request }: NewRun): Promise<void> {
  const agent = await findAgent(tx, run.project_id, run.agent_id);
  if (agent.archived_at !== null) throw agentArchived();
  await tx.insertInto("runs").values(run).execute();
  if (request) {
    const { key: idempotency_key, bodySha256: body_sha256 } = request;
    await tx
      .insertInto("run_requests")
      .values({ project_id: run.project_id, idempotency_key, body_sha256, run_id: run.id })
      .execute();
  }
  for (let from = 0; from < simulations.length; from += INSERT_ROWS) {
    await tx
      .insertInto("simulations")
      .values(simulations.slice(from, from + INSERT_ROWS))
      .execute();
  }
  await appendEvent(tx, run.id, { kind: "run", status: run.status });
}

async function findRequest(
  db: Db,
  projectId: string,
  { key, bodySha256 }: IdempotentRequest,
): Promise<string | undefined> {
  const row = await db
    .selectFrom("run_requests")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("idempotency_key", "=", key)
    .executeTakeFirst();
  if (row && row.body_sha256 !== bodySha256) {
    throw new AppError(
      "conflict",
      "This Idempotency-Key was sent with another body before: use a new key for a new run.",
    );
  }
  return row?.run_id;
}
