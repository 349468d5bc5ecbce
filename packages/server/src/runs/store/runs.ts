import type { RunStatus, Verdict } from "@svc/contract";
import { sql } from "kysely";
import { AppError, notFound } from "../../errors.ts";
import type { NewGrade } from "../../graders/grader.ts";
import { gradesOfSimulations, insertGrades } from "../../graders/store/grades.ts";
import { type Page, type PageRequest, readPage } from "../../stores/page.ts";
import { type Db, isUniqueViolation } from "../../stores/relational.ts";
import { appendEvent, type NewEvent, readEvents } from "./events.ts";
import { agentArchived, type RunCounts, type RunRow, type SimulationRow, type SimulationSummaryRow } from "../rules.ts";

export type RunStore = ReturnType<typeof openRunStore>;

export type Made = {
  run: RunRow;
  simulations: SimulationRow[];
  request: { key: string; bodySha256: string } | undefined;
};

/** How a simulation ended, as it is kept. */
export type Ended = {
  status: "completed" | "failed" | "canceled";
  endingReason: NonNullable<SimulationRow["ending_reason"]>;
  message: string | null;
  transcript: string;
  turnCount: number;
  traceId: string;
};

export type Settled = { verdict: Verdict; behaviorsGraded: number; grades: NewGrade[] };

/** Every column save the transcript. */
const SUMMARY = [
  "id",
  "run_id",
  "project_id",
  "test_id",
  "test_version_id",
  "test_name",
  "persona_id",
  "persona_version_id",
  "persona_name",
  "iteration",
  "behavior_count",
  "status",
  "attempt",
  "ending_reason",
  "message",
  "turn_count",
  "trace_id",
  "spans_written",
  "grading",
  "gradings",
  "verdict",
  "behaviors_graded",
  "veto_reason",
  "created_at",
  "started_at",
  "ended_at",
] as const satisfies readonly (keyof SimulationRow)[];
const INSERT_ROWS = 200;
/** As the partial indexes say it, or they are not used: a bound value would not do. */
const isOpen = sql<boolean>`status IN ('pending', 'running')`;
const owesVerdict = sql<boolean>`grading <> 'settled' AND status IN ('completed', 'failed')`;
/** How often the service may stop in the middle of a simulation before it is given up. */
const INTERRUPTIONS_MAX = 10;

/** `changed` is told of every run whose events grew. */
export function openRunStore(db: Db, changed: (runId: string) => void) {
  const writing = async <T>(runId: string, write: (tx: Db) => Promise<T>): Promise<T> => {
    const result = await db.transaction().execute(write);
    changed(runId);
    return result;
  };

  const anyRun = async (id: string): Promise<RunRow> =>
    db.selectFrom("runs").selectAll().where("id", "=", id).executeTakeFirstOrThrow();

  return {
    /** Makes the run, or answers the one that the same request made before. */
    async create({ run, simulations, request }: Made): Promise<RunRow> {
      const before = request && (await requested(run.project_id, request));
      if (before) return anyRun(before);
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
      const run = await db
        .selectFrom("runs")
        .selectAll()
        .where("project_id", "=", projectId)
        .where("id", "=", id)
        .executeTakeFirst();
      if (!run) throw notFound();
      return run;
    },

    anyRun,

    list(
      projectId: string,
      filters: { agentId?: string; status?: RunStatus },
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
      const row = await db
        .selectFrom("simulations")
        .selectAll()
        .where("project_id", "=", projectId)
        .where("id", "=", id)
        .executeTakeFirst();
      if (!row) throw notFound();
      return row;
    },

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

    /** With their transcripts: a page of them may be large. */
    wholeSimulations(runId: string, page: PageRequest): Promise<Page<SimulationRow>> {
      return readPage(db.selectFrom("simulations").selectAll().where("run_id", "=", runId), page);
    },

    /** The verdicts of each simulation's last grading. */
    gradesOf: (rows: readonly SimulationSummaryRow[]) =>
      gradesOfSimulations(
        db,
        rows.map(({ id }) => id),
      ),

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

    openRuns: () => db.selectFrom("runs").selectAll().where(isOpen).orderBy("id").execute(),

    /**
     * Takes up to `count` queued simulations of a run; nobody else is handed the same ones. Those that were interrupted come
     * last, so that one that stops the service does not take the others with it again and again.
     */
    async claim(run: RunRow, count: number): Promise<SimulationRow[]> {
      return writing(run.id, async (tx) => {
        const claimed = await tx
          .updateTable("simulations")
          .set((eb) => ({ status: "claimed", attempt: eb("attempt", "+", 1) }))
          .where("id", "in", await nextQueued(tx, run.id, count))
          .returningAll()
          .execute();
        if (claimed.length > 0 && run.status === "pending") {
          const started_at = new Date().toISOString();
          const { numUpdatedRows } = await tx
            .updateTable("runs")
            .set({ status: "running", started_at })
            .where("id", "=", run.id)
            .where("status", "=", "pending")
            .executeTakeFirst();
          if (numUpdatedRows > 0n) await appendEvent(tx, run.id, { kind: "run", status: "running" });
        }
        return claimed.sort((a, b) => (a.id < b.id ? -1 : 1));
      });
    },

    /** False when the simulation is no longer this attempt's. */
    async begin(simulation: SimulationRow): Promise<boolean> {
      return writing(simulation.run_id, async (tx) => {
        const { numUpdatedRows } = await tx
          .updateTable("simulations")
          .set({ status: "running", started_at: new Date().toISOString() })
          .where("id", "=", simulation.id)
          .where("status", "=", "claimed")
          .where("attempt", "=", simulation.attempt)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return false;
        await appendEvent(tx, simulation.run_id, simulationEvent({ ...simulation, status: "running" }));
        return true;
      });
    },

    /** Keeps what happens in a simulation while it is this attempt's, so that nothing follows its end. */
    async record(simulation: SimulationRow, events: NewEvent[]): Promise<void> {
      await writing(simulation.run_id, async (tx) => {
        const held = tx
          .selectFrom("simulations")
          .select("id")
          .where("id", "=", simulation.id)
          .where("status", "=", "running")
          .where("attempt", "=", simulation.attempt);
        if (!(await held.executeTakeFirst())) return;
        for (const event of events) await appendEvent(tx, simulation.run_id, event);
      });
    },

    /** Ends a simulation, once; the run too, when it was the last. False when this attempt no longer holds it. */
    async finish(simulation: SimulationRow, ended: Ended, events: NewEvent[]): Promise<boolean> {
      return writing(simulation.run_id, async (tx) => {
        const now = new Date().toISOString();
        const settled = ended.status === "canceled";
        const { numUpdatedRows } = await tx
          .updateTable("simulations")
          .set({
            status: ended.status,
            ending_reason: ended.endingReason,
            message: ended.message,
            transcript: ended.transcript,
            turn_count: ended.turnCount,
            trace_id: ended.traceId,
            ended_at: now,
            ...(settled && { grading: "settled" }),
          })
          .where("id", "=", simulation.id)
          .where("status", "=", "running")
          .where("attempt", "=", simulation.attempt)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return false;
        const { run_id: runId } = simulation;
        for (const event of events) await appendEvent(tx, runId, event);
        const ending = { status: ended.status, ending_reason: ended.endingReason };
        await appendEvent(tx, runId, simulationEvent({ ...simulation, ...ending }));
        await completeRun(tx, runId, now);
        return true;
      });
    },

    spansWritten: (id: string) =>
      db.updateTable("simulations").set({ spans_written: 1 }).where("id", "=", id).execute(),

    /** Ended conversations without a verdict; spans are written before it. */
    async owed(): Promise<string[]> {
      const rows = await db.selectFrom("simulations").select("id").where(owesVerdict).execute();
      return rows.map(({ id }) => id);
    },

    /** Puts back what stands as under way and is not among those that are played. */
    async putBack(played: readonly string[]): Promise<void> {
      const stranded = (
        await db
          .selectFrom("simulations")
          .selectAll()
          .where("run_id", "in", (eb) => eb.selectFrom("runs").select("id").where(isOpen))
          .where("status", "in", ["claimed", "running"])
          .execute()
      ).filter(({ id }) => !played.includes(id));
      for (const row of stranded) {
        if (row.attempt <= INTERRUPTIONS_MAX) {
          await db.updateTable("simulations").set({ status: "queued" }).where("id", "=", row.id).execute();
          continue;
        }
        await writing(row.run_id, async (tx) => {
          const now = new Date().toISOString();
          const message = `The service stopped ${row.attempt} times in the middle of it.`;
          const failed = {
            status: "failed",
            ending_reason: "orphaned",
            message,
            ended_at: now,
            spans_written: 1,
          } as const;
          await tx.updateTable("simulations").set(failed).where("id", "=", row.id).execute();
          await appendEvent(tx, row.run_id, simulationEvent({ ...row, ...failed }));
          await completeRun(tx, row.run_id, now);
        });
      }
    },

    /** Cancels what is queued, and says which simulations are under way; a run that has ended stays as it is. */
    async cancel(runId: string, reason: NonNullable<RunRow["stop_reason"]>): Promise<void> {
      await writing(runId, async (tx) => {
        const now = new Date().toISOString();
        const { numUpdatedRows } = await tx
          .updateTable("runs")
          .set({ status: "canceled", stop_reason: reason, ended_at: now })
          .where("id", "=", runId)
          .where(isOpen)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return;
        const canceled = await tx
          .updateTable("simulations")
          .set({ status: "canceled", ending_reason: "canceled", grading: "settled", spans_written: 1, ended_at: now })
          .where("run_id", "=", runId)
          .where("status", "in", ["queued", "claimed", "running"])
          .returning(SUMMARY)
          .execute();
        for (const row of canceled) await appendEvent(tx, runId, simulationEvent(row));
        await appendEvent(tx, runId, { kind: "run", status: "canceled" });
      });
    },

    openRunsOfAgent: (agentId: string) =>
      db.selectFrom("runs").select("id").where("agent_id", "=", agentId).where(isOpen).execute(),

    startGrading: (id: string) =>
      db.updateTable("simulations").set({ grading: "running" }).where("id", "=", id).execute(),

    /** Keeps the verdicts of one more grading. A veto that came meanwhile stays. */
    async settle(simulation: SimulationRow, { verdict, behaviorsGraded, grades }: Settled): Promise<void> {
      await writing(simulation.run_id, async (tx) => {
        const row = await tx
          .updateTable("simulations")
          .set((eb) => ({
            grading: "settled",
            gradings: eb("gradings", "+", 1),
            verdict: sql<Verdict>`iif(veto_reason IS NULL, ${verdict}, 'failed')`,
            behaviors_graded: behaviorsGraded,
          }))
          .where("id", "=", simulation.id)
          .where("gradings", "=", simulation.gradings)
          .returning(SUMMARY)
          .executeTakeFirst();
        if (!row) return;
        await insertGrades(tx, { simulationId: row.id, grading: row.gradings }, grades);
        await appendEvent(tx, row.run_id, gradeEvent(row));
      });
    },

    async veto(simulation: SimulationRow, reason: string): Promise<void> {
      await writing(simulation.run_id, async (tx) => {
        const row = await tx
          .updateTable("simulations")
          .set({ veto_reason: reason, verdict: "failed" })
          .where("id", "=", simulation.id)
          .returning(SUMMARY)
          .executeTakeFirstOrThrow();
        await appendEvent(tx, row.run_id, gradeEvent(row));
      });
    },
  };

  async function requested(projectId: string, { key, bodySha256 }: NonNullable<Made["request"]>) {
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

/** Ids of queued simulations, the interrupted ones last; there are few of those, and an index finds the others. */
async function nextQueued(tx: Db, runId: string, count: number): Promise<string[]> {
  const queued = tx.selectFrom("simulations").select("id").where("run_id", "=", runId).where("status", "=", "queued");
  const fresh = await queued.where("attempt", "=", 0).orderBy("id").limit(count).execute();
  const left = count - fresh.length;
  const interrupted =
    left > 0 ? await queued.where("attempt", ">", 0).orderBy("attempt").orderBy("id").limit(left).execute() : [];
  return [...fresh, ...interrupted].map(({ id }) => id);
}

/** The run has ended with its last simulation. */
async function completeRun(tx: Db, runId: string, now: string): Promise<void> {
  const left = await tx
    .selectFrom("simulations")
    .select("id")
    .where("run_id", "=", runId)
    .where("status", "in", ["queued", "claimed", "running"])
    .limit(1)
    .executeTakeFirst();
  if (left) return;
  const { numUpdatedRows } = await tx
    .updateTable("runs")
    .set({ status: "completed", ended_at: now })
    .where("id", "=", runId)
    .where(isOpen)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) await appendEvent(tx, runId, { kind: "run", status: "completed" });
}

const simulationEvent = (row: SimulationSummaryRow): NewEvent => ({
  kind: "simulation",
  simulationId: row.id,
  testName: row.test_name,
  personaName: row.persona_name,
  status: row.status,
  reason: row.ending_reason,
  verdict: row.verdict,
});

const gradeEvent = (row: SimulationSummaryRow): NewEvent => ({
  kind: "grade",
  simulationId: row.id,
  verdict: row.verdict!,
  behaviorsGraded: row.behaviors_graded,
  behaviorCount: row.behavior_count,
});
