import type { RunStatus, Verdict } from "@svc/contract";
import { sql } from "kysely";
import { AppError, notFound } from "../../errors.ts";
import { type Page, type PageRequest, readPage } from "../../stores/page.ts";
import { type Db, isUniqueViolation } from "../../stores/relational.ts";
import { agentArchived, type RunCounts, type RunRow, type SimulationRow, type SimulationSummaryRow } from "../rules.ts";
import { owesVerdict, SUMMARY } from "./columns.ts";
import { appendEvent, readEvents } from "./events.ts";
import { openGrades } from "./grades.ts";
import { openPlaying } from "./playing.ts";
import { INSERT_ROWS, openWriting } from "./writing.ts";

export type RunStore = ReturnType<typeof openRunStore>;

export type Made = { run: RunRow; simulations: SimulationRow[]; request: RunRequest | undefined };

/** What an Idempotency-Key was sent with. */
export type RunRequest = { key: string; bodySha256: string };

/** `changed` is told of every run whose events grew. */
export function openRunStore(db: Db, changed: (runId: string) => void) {
  const writing = openWriting(db, changed);

  const anyRun = async (id: string): Promise<RunRow> =>
    db.selectFrom("runs").selectAll().where("id", "=", id).executeTakeFirstOrThrow();

  return {
    /** The run that the same request made before, whatever became since of what it named. */
    async madeBy(projectId: string, request: RunRequest): Promise<RunRow | undefined> {
      const before = await requested(projectId, request);
      return before === undefined ? undefined : anyRun(before);
    },

    /** Makes the run, or answers the one that the same request made meanwhile. */
    async create({ run, simulations, request }: Made): Promise<RunRow> {
      try {
        await writing(run.id, async (tx) => {
          await refuseArchived(tx, run.agent_id);
          await tx.insertInto("runs").values(run).execute();
          if (request) {
            const row = { project_id: run.project_id, idempotency_key: request.key, run_id: run.id };
            await tx
              .insertInto("run_requests")
              .values({ ...row, body_sha256: request.bodySha256 })
              .execute();
          }
          for (let from = 0; from < simulations.length; from += INSERT_ROWS) {
            await tx
              .insertInto("simulations")
              .values(simulations.slice(from, from + INSERT_ROWS))
              .execute();
          }
          await appendEvent(tx, run.id, { kind: "run", status: run.status });
        });
        return run;
      } catch (error) {
        const won = request && isUniqueViolation(error) && (await requested(run.project_id, request));
        if (won) return anyRun(won);
        throw error;
      }
    },

    async get(projectId: string, id: string): Promise<RunRow> {
      return db
        .selectFrom("runs")
        .selectAll()
        .where("project_id", "=", projectId)
        .where("id", "=", id)
        .executeTakeFirstOrThrow(notFound);
    },

    anyRun,

    list(
      projectId: string,
      filters: { agentId?: string | undefined; status?: RunStatus | undefined },
      page: PageRequest,
    ): Promise<Page<RunRow>> {
      let query = db.selectFrom("runs").selectAll().where("project_id", "=", projectId);
      if (filters.agentId) query = query.where("agent_id", "=", filters.agentId);
      if (filters.status) query = query.where("status", "=", filters.status);
      return readPage(query, page);
    },

    async counts(runIds: string[]): Promise<Map<string, RunCounts[]>> {
      if (runIds.length === 0) return new Map();
      const rows = await db
        .selectFrom("simulations")
        .select(["run_id", "status", "verdict", "grading", (eb) => eb.fn.countAll<number>().as("count")])
        .where("run_id", "in", runIds)
        .groupBy(["run_id", "status", "verdict", "grading"])
        .execute();
      return Map.groupBy(rows, (row) => row.run_id);
    },

    async simulation(projectId: string, id: string): Promise<SimulationRow> {
      return db
        .selectFrom("simulations")
        .selectAll()
        .where("project_id", "=", projectId)
        .where("id", "=", id)
        .executeTakeFirstOrThrow(notFound);
    },

    findSimulation: (projectId: string, id: string): Promise<SimulationSummaryRow | undefined> =>
      db
        .selectFrom("simulations")
        .select(SUMMARY)
        .where("project_id", "=", projectId)
        .where("id", "=", id)
        .executeTakeFirst(),

    /** What the spans of a run's conversations are filed under. */
    filedUnder: (run: RunRow) =>
      db
        .selectFrom("runs")
        .innerJoin("projects", "projects.id", "runs.project_id")
        .innerJoin("agents", "agents.id", "runs.agent_id")
        .select(["projects.number as projectNumber", "agents.name as agentName"])
        .where("runs.id", "=", run.id)
        .executeTakeFirstOrThrow(),

    anySimulation: (id: string): Promise<SimulationRow> =>
      db.selectFrom("simulations").selectAll().where("id", "=", id).executeTakeFirstOrThrow(),

    /** Without their transcripts, which may be large. */
    simulations(runId: string, verdict: Verdict | undefined, page: PageRequest): Promise<Page<SimulationSummaryRow>> {
      let query = db.selectFrom("simulations").select(SUMMARY).where("run_id", "=", runId);
      if (verdict) query = query.where("verdict", "=", verdict);
      return readPage(query, page);
    },

    async simulationIds(projectId: string, runId: string): Promise<string[]> {
      const ofRun = db.selectFrom("simulations").select("id").where("run_id", "=", runId);
      return (await ofRun.where("project_id", "=", projectId).execute()).map(({ id }) => id);
    },

    /** With their transcripts: a page of them may be large. */
    wholeSimulations(runId: string, page: PageRequest): Promise<Page<SimulationRow>> {
      return readPage(db.selectFrom("simulations").selectAll().where("run_id", "=", runId), page);
    },

    /** The run has ended and no verdict is outstanding. */
    async isSettled(runId: string): Promise<boolean> {
      const { ended_at } = await anyRun(runId);
      if (ended_at === null) return false;
      // The plus leaves only the index of those that owe one, which is short.
      const isOfRun = sql<boolean>`+run_id = ${runId}`;
      const owing = db.selectFrom("simulations").select("id").where(isOfRun).where(owesVerdict).limit(1);
      return (await owing.executeTakeFirst()) === undefined;
    },

    events: (runId: string, after: number) => readEvents(db, runId, after),

    ...openPlaying(db, writing),
    ...openGrades(db, writing),
  };

  async function requested(projectId: string, { key, bodySha256 }: RunRequest) {
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
}

/** The agent may have been archived since the run was planned, and its open runs been canceled. */
async function refuseArchived(tx: Db, agentId: string): Promise<void> {
  const { archived_at } = await tx
    .selectFrom("agents")
    .select("archived_at")
    .where("id", "=", agentId)
    .executeTakeFirstOrThrow();
  if (archived_at !== null) throw agentArchived();
}
