import type { Db } from "../../../stores/relational.ts";
import { transaction } from "../../../stores/transaction.ts";
import type { ConversationTexts } from "../../../traces/erasure/open.ts";
import type { NewGrade } from "../grader.ts";
import { deleteItems, deleteItemsBefore } from "../review/store/queue.ts";
import { scopeOf } from "../review/store/settings.ts";

const ROWS_AT_ONCE = 200;
const ERASED = "The conversation is erased.";

/**
 * Creates the functions that erase production grades, the notes of their labels, and items of the review queue. Labels are not erased,
 * because the agreement with people is computed from them.
 */
export function createGradeTexts(db: Db): ConversationTexts {
  async function eraseGrades(projectId: string, grades: readonly { id: string }[]): Promise<void> {
    for (let from = 0; from < grades.length; from += ROWS_AT_ONCE) {
      const some = grades.slice(from, from + ROWS_AT_ONCE).map(({ id }) => id);
      await transaction(db, projectId, async (tx) => {
        await eraseNotes(tx, some);
        await tx.deleteFrom("production_grades").where("id", "in", some).execute();
      });
    }
  }

  return {
    async eraseConversations(projectId, names) {
      for (let from = 0; from < names.length; from += ROWS_AT_ONCE) {
        const some = names.slice(from, from + ROWS_AT_ONCE);
        const grades = db
          .selectFrom("production_grades")
          .select("id")
          .where("project_id", "=", projectId)
          .where("conversation", "in", some);
        await eraseGrades(projectId, await grades.execute());
        await transaction(db, scopeOf(projectId), (tx) => deleteItems(tx, projectId, some));
      }
    },

    async eraseBefore(time, projectId) {
      await deleteItemsBefore(db, time, projectId);
      const old = db
        .selectFrom("production_grades")
        .select(["id", "project_id"])
        .where("graded_at", "<", time)
        .$if(projectId !== undefined, (query) => query.where("project_id", "=", projectId!));
      const ofProjects = Map.groupBy(await old.execute(), ({ project_id }) => project_id);
      for (const [projectId, grades] of ofProjects) await eraseGrades(projectId, grades);
    },
  };
}

/** Erases the texts of simulations' grades: reasons, quotes, replies of the judge, and notes of labels. The verdicts remain. */
export async function eraseGradeTexts(tx: Db, simulationIds: readonly string[]): Promise<void> {
  const rows = await tx
    .selectFrom("grades")
    .select(["id", "grade"])
    .where("simulation_id", "in", simulationIds)
    .execute();
  for (const { id, grade } of rows) {
    await tx
      .updateTable("grades")
      .set({ grade: withoutTexts(grade) })
      .where("id", "=", id)
      .execute();
  }
  await eraseNotes(
    tx,
    rows.map(({ id }) => id),
  );
}

async function eraseNotes(tx: Db, gradeIds: readonly string[]): Promise<void> {
  await tx.updateTable("grade_labels").set({ note: null }).where("grade_id", "in", gradeIds).execute();
}

/** Returns the votes without their texts. Each vote keeps the identity of its judge. */
function withoutTexts(stored: string): string {
  const grade = JSON.parse(stored) as NewGrade;
  const votes = grade.votes.map((vote) => {
    const { model, promptVersion, dialect } = vote as Record<string, string | undefined>;
    return { model, promptVersion, dialect };
  });
  return JSON.stringify({ ...grade, reason: ERASED, evidence: [], votes });
}
