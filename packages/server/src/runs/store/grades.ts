import type { Grade, Verdict } from "@svc/contract";
import { sql } from "kysely";
import type { Db } from "../../stores/relational.ts";
import type { SimulationRow } from "../rules.ts";
import { owesVerdict, SUMMARY } from "./columns.ts";
import { appendEvent, gradeEvent } from "./events.ts";
import { INSERT_ROWS, type Writing } from "./writing.ts";

export type Settled = { verdict: Verdict; behaviorsGraded: number; grades: Grade[] };

/** The verdicts of each grading; none is ever changed. */
export function openGrades(db: Db, writing: Writing) {
  return {
    async grades({ id, gradings }: SimulationRow): Promise<Grade[]> {
      const rows = await db
        .selectFrom("grades")
        .select("grade")
        .where("simulation_id", "=", id)
        .where("grading", "=", gradings)
        .orderBy("position")
        .execute();
      return rows.map(({ grade }) => JSON.parse(grade));
    },

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
        const graded_at = new Date().toISOString();
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
        const rows = grades.map((grade, position) => ({
          simulation_id: row.id,
          grading: row.gradings,
          position,
          grade: JSON.stringify(grade),
          graded_at,
        }));
        for (let from = 0; from < rows.length; from += INSERT_ROWS) {
          await tx
            .insertInto("grades")
            .values(rows.slice(from, from + INSERT_ROWS))
            .execute();
        }
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
