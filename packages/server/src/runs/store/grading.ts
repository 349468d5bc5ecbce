import { setImmediate as nextTurn } from "node:timers/promises";
import type { Grade, Verdict, VerdictCounts } from "@svc/contract";
import { sql } from "kysely";
import { findAgent } from "../../agents/store/find-agent.ts";
import type { NewGrade } from "../../grading/graders/grader.ts";
import { queueGraded } from "../../grading/graders/review/store/queue.ts";
import {
  evidenceOfGrades,
  type GradeOutcome,
  gradesOfSimulations,
  insertGrades,
  outcomesOfSimulations,
} from "../../grading/graders/store/grades.ts";
import { countSimulationVerdicts } from "../../grading/graders/store/verdict-counts.ts";
import type { ModelUsage } from "../../grading/language-model/usage.ts";
import type { Db } from "../../stores/relational.ts";
import { transaction } from "../../stores/transaction.ts";
import { withUsage } from "../judge-cost.ts";
import type { SimulationRow, SimulationSummaryRow } from "../rules.ts";
import { SUMMARY } from "./columns.ts";
import { appendEvent, gradeEvent } from "./events.ts";
import type { Lease } from "./leases.ts";
import { readRun, recordIfFailed, recordRunDone } from "./outcome-events.ts";
import type { WriteRun } from "./writing.ts";

/** Number of simulations whose grades are read without a pause for other work. */
const GRADED_AT_ONCE = 20;

export type GradingResult = { verdict: Verdict; behaviorsGraded: number; grades: NewGrade[] };

export type GradingStore = {
  addJudgeUsage: (runId: string, usage: ModelUsage) => Promise<void>;
  /** Returns the grades of each simulation's last grading by the simulation's id. */
  gradesOf: (simulations: readonly SimulationSummaryRow[]) => Promise<Map<string, Grade[]>>;
  /** Counts the verdicts of each simulation's last grading by the simulation's id. Omits simulations of other projects. */
  countVerdicts: (projectId: string, ids: readonly string[]) => Promise<Map<string, VerdictCounts>>;
  /** Returns the outcomes of each simulation's last grading. Vetoes are not included. */
  outcomesOf: (simulations: readonly SimulationSummaryRow[]) => Promise<GradeOutcome[]>;
  evidenceOf: (gradeIds: readonly string[]) => Promise<Map<string, Grade["evidence"]>>;
  /** Marks the grading of a simulation as running, and leases the simulation, so that no other process grades the simulation. */
  startGrading: (id: string) => Promise<void>;
  /**
   * Stores the grades and the verdict of a simulation. The verdict stays `failed` when the simulation has a veto. Does nothing when another
   * grading finished first. Stores no grades when the conversation was erased in the meantime.
   */
  finishGrading: (simulation: SimulationRow, result: GradingResult) => Promise<void>;
  /** Sets the simulation's verdict to `failed`, for a reason that no grader can see in the conversation. */
  veto: (simulation: SimulationRow, reason: string) => Promise<void>;
};

export function createGradingStore(db: Db, write: WriteRun, { untilMs }: Lease): GradingStore {
  return {
    async addJudgeUsage(runId, usage) {
      await transaction(db, runId, async (tx) => {
        const run = await tx.selectFrom("runs").selectAll().where("id", "=", runId).executeTakeFirstOrThrow();
        await tx.updateTable("runs").set(withUsage(run, usage)).where("id", "=", runId).execute();
      });
    },

    async gradesOf(simulations) {
      const grades = new Map<string, Grade[]>();
      for (let from = 0; from < simulations.length; from += GRADED_AT_ONCE) {
        if (from > 0) await nextTurn();
        const some = await gradesOfSimulations(db, simulations.slice(from, from + GRADED_AT_ONCE));
        for (const [id, own] of some) grades.set(id, own);
      }
      return grades;
    },

    async countVerdicts(projectId, ids) {
      if (ids.length === 0) return new Map();
      const simulations = await db
        .selectFrom("simulations")
        .select(["id", "gradings"])
        .where("project_id", "=", projectId)
        .where("id", "in", ids)
        .execute();
      return countSimulationVerdicts(db, simulations);
    },

    async outcomesOf(simulations) {
      const graded = simulations.filter(({ gradings }) => gradings > 0);
      return graded.length === 0 ? [] : outcomesOfSimulations(db, graded);
    },

    evidenceOf: (gradeIds) => evidenceOfGrades(db, gradeIds),

    async startGrading(id) {
      await db
        .updateTable("simulations")
        .set({ grading: "running", leased_until_ms: untilMs })
        .where("id", "=", id)
        .execute();
    },

    async finishGrading(simulation, { verdict, behaviorsGraded, grades }) {
      await write(simulation, async (tx) => {
        const row = await tx
          .updateTable("simulations")
          .set({
            grading: "settled",
            gradings: sql<number>`gradings + CASE WHEN texts_erased = 0 THEN 1 ELSE 0 END`,
            verdict: sql<Verdict>`CASE WHEN veto_reason IS NOT NULL THEN 'failed' WHEN texts_erased = 0 THEN ${verdict}
              ELSE coalesce(verdict, ${verdict}) END`,
            behaviors_graded: sql<number>`CASE WHEN texts_erased = 0 THEN ${behaviorsGraded} ELSE behaviors_graded END`,
          })
          .where("id", "=", simulation.id)
          .where("gradings", "=", simulation.gradings)
          .returning(SUMMARY)
          .executeTakeFirst();
        if (!row) return;
        if (row.texts_erased === 0) {
          const stored = await insertGrades(tx, { simulationId: row.id, grading: row.gradings }, grades);
          await queueGraded(tx, row.project_id, queuedOf(row), stored, async () => {
            const { agent_id } = await readRun(tx, row.run_id);
            return (await findAgent(tx, row.project_id, agent_id)).name;
          });
        }
        await appendEvent(tx, row.run_id, gradeEvent(row));
        await recordIfFailed(tx, row, grades);
        await recordRunDone(tx, row.run_id);
      });
    },

    async veto(simulation, reason) {
      await write(simulation, async (tx) => {
        const row = await tx
          .updateTable("simulations")
          .set({ veto_reason: reason, verdict: "failed" })
          .where("id", "=", simulation.id)
          .returning(SUMMARY)
          .executeTakeFirstOrThrow();
        await appendEvent(tx, row.run_id, gradeEvent(row));
        await recordIfFailed(tx, row, []);
      });
    },
  };
}

const queuedOf = ({ id, run_id, trace_id, started_at }: SimulationSummaryRow) => ({
  source: "simulation" as const,
  name: id,
  names: [id],
  traceId: trace_id,
  runId: run_id,
  startedAt: started_at,
});

export async function isSameGrading(db: Db, { id, gradings, verdict, veto_reason }: SimulationRow): Promise<boolean> {
  const row = await db
    .selectFrom("simulations")
    .select(["gradings", "verdict", "veto_reason", "texts_erased"])
    .where("id", "=", id)
    .executeTakeFirst();
  return (
    row?.texts_erased === 0 && row.gradings === gradings && row.verdict === verdict && row.veto_reason === veto_reason
  );
}

type GradedSimulationRow = { id: string; run_id: string; gradings: number };

export async function listGradedSimulations(
  db: Db,
  projectId: string,
  after: string,
  limit: number,
): Promise<GradedSimulationRow[]> {
  return db
    .selectFrom("simulations")
    .innerJoin("runs", "runs.id", "simulations.run_id")
    .select(["simulations.id", "run_id", "gradings"])
    .where("runs.project_id", "=", projectId)
    .where("gradings", ">", 0)
    .where("simulations.id", ">", after)
    .orderBy("simulations.id")
    .limit(limit)
    .execute();
}
