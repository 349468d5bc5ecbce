import {
  type ExportedGrade,
  exportGradesOfProduction,
  exportGradesOfSimulations,
} from "../../grading/graders/store/grades.ts";
import { listGradedSimulations } from "../../runs/store/grading.ts";
import type { Db } from "../../stores/relational.ts";

const ROWS_AT_ONCE = 500;
const SIMULATIONS_AT_ONCE = 100;

/** Yields the project's grades, page by page: first those of simulations, then those of production. */
export async function* gradeRows(db: Db, projectId: string) {
  for (let after = ""; ;) {
    const simulations = await listGradedSimulations(db, projectId, after, SIMULATIONS_AT_ONCE);
    if (simulations.length === 0) break;
    const runOf = new Map(simulations.map(({ id, run_id }) => [id, run_id]));
    const grades = await exportGradesOfSimulations(db, simulations);
    yield grades.map((grade) => rowOf(grade, "simulation", runOf.get(grade.conversation)!));
    after = simulations.at(-1)!.id;
  }
  for (let after = ""; ;) {
    const grades = await exportGradesOfProduction(db, projectId, after, ROWS_AT_ONCE);
    if (grades.length === 0) return;
    yield grades.map((grade) => rowOf(grade, "production", null));
    after = grades.at(-1)!.id;
  }
}

const rowOf = (grade: ExportedGrade, source: "simulation" | "production", runId: string | null) => ({
  id: grade.id,
  source,
  conversation: grade.conversation,
  run_id: runId,
  grader_id: grade.graderId,
  grader_version_id: grade.graderVersionId,
  grader_name: grade.graderName,
  criterion: grade.criterion,
  decided_by: grade.decidedBy,
  verdict: grade.verdict,
  reason: grade.reason,
  counts: Boolean(grade.counts),
  graded_at: grade.gradedAt,
});
