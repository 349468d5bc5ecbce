import type { Verdict } from "@svc/contract";
import { sql } from "kysely";
import type { NewGrade } from "../../graders/grader.ts";
import { gradesOfSimulations, insertGrades } from "../../graders/store/grades.ts";
import type { Db } from "../../stores/relational.ts";
import type { SimulationRow, SimulationSummaryRow } from "../rules.ts";
import { owesVerdict, SUMMARY } from "./columns.ts";
import { appendEvent, gradeEvent } from "./events.ts";
import type { Writing } from "./writing.ts";

export type Settled = { verdict: Verdict; behaviorsGraded: number; grades: NewGrade[] };

/** The verdicts of each grading; none is ever changed. */
export function openGrades(db: Db, writing: Writing) {
  return {
    /** The verdicts of each simulation's last grading. */
    gradesOf: (rows: readonly SimulationSummaryRow[]) => gradesOfSimulations(db, rows),

    /** Ended conversations without a verdict; spans are written before it. */
    async owed(): Promise<string[]> {
      const rows = await db.selectFrom("simulations").select("id").where(owesVerdict).execute();
      return rows.map(({ id }) => id);
    },

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
}
