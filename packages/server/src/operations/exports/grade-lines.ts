import { appendFile, writeFile } from "node:fs/promises";
import {
  type ExportedGrade,
  exportGradesOfProduction,
  exportGradesOfSimulations,
} from "../../grading/graders/store/grades.ts";
import { listGradedSimulations } from "../../runs/store/grading.ts";
import type { Db } from "../../stores/relational.ts";
import type { ColumnType } from "../../traces/store/trace-store.ts";

const ROWS_AT_ONCE = 500;
const SIMULATIONS_AT_ONCE = 100;

export const GRADE_COLUMNS = {
  id: "VARCHAR",
  source: "VARCHAR",
  conversation: "VARCHAR",
  run_id: "VARCHAR",
  grader_id: "VARCHAR",
  grader_version_id: "VARCHAR",
  grader_name: "VARCHAR",
  criterion: "VARCHAR",
  decided_by: "VARCHAR",
  verdict: "VARCHAR",
  reason: "VARCHAR",
  counts: "BOOLEAN",
  graded_at: "TIMESTAMP",
} as const satisfies Record<string, ColumnType>;

/** Writes the project's grades to a new file, one JSON object per line: first those of simulations, then those of production. */
export async function writeGradeLines(db: Db, projectId: string, file: string): Promise<void> {
  await writeFile(file, "", { mode: 0o600, flag: "wx" });
  for (let after = ""; ;) {
    const simulations = await listGradedSimulations(db, projectId, after, SIMULATIONS_AT_ONCE);
    if (simulations.length === 0) break;
    const runOf = new Map(simulations.map(({ id, run_id }) => [id, run_id]));
    const grades = await exportGradesOfSimulations(db, simulations);
    await append(
      file,
      grades.map((grade) => lineOf(grade, "simulation", runOf.get(grade.conversation)!)),
    );
    after = simulations.at(-1)!.id;
  }
  for (let after = ""; ;) {
    const grades = await exportGradesOfProduction(db, projectId, after, ROWS_AT_ONCE);
    if (grades.length === 0) return;
    await append(
      file,
      grades.map((grade) => lineOf(grade, "production", null)),
    );
    after = grades.at(-1)!.id;
  }
}

const append = (file: string, lines: string[]) => appendFile(file, lines.join(""));

function lineOf(grade: ExportedGrade, source: "simulation" | "production", runId: string | null): string {
  const row: Record<keyof typeof GRADE_COLUMNS, unknown> = {
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
  };
  return `${JSON.stringify(row)}\n`;
}
