import { newId } from "../../ids.ts";
import type { Db } from "../../stores/relational.ts";
import type { NewGrade } from "../grader.ts";

export type ProductionStore = ReturnType<typeof openProductionStore>;

/** A project whose production conversations are graded; those received before `receivedMs` have been looked at. */
export type Checkpoint = { projectId: string; projectNumber: number; receivedMs: number };

export function openProductionStore(db: Db) {
  return {
    checkpoints: (): Promise<Checkpoint[]> =>
      db
        .selectFrom("production_checkpoints")
        .innerJoin("projects", "projects.id", "project_id")
        .select(["project_id as projectId", "projects.number as projectNumber", "received_ms as receivedMs"])
        .orderBy("project_id")
        .execute(),

    async advance(projectId: string, receivedMs: number): Promise<void> {
      await db
        .updateTable("production_checkpoints")
        .set({ received_ms: receivedMs })
        .where("project_id", "=", projectId)
        .where("received_ms", "<", receivedMs)
        .execute();
    },

    /** Drops the checkpoint of a project of which no grader grades production any more. */
    async forget(projectId: string): Promise<void> {
      await db
        .deleteFrom("production_checkpoints")
        .where("project_id", "=", projectId)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom("grader_settings")
                .leftJoin("graders", "graders.id", "grader_id")
                .select("grader_id")
                .where("grader_settings.project_id", "=", projectId)
                .where("archived_at", "is", null)
                .where("enabled", "=", 1)
                .where("scope", "<>", "simulations")
                .where("production_sample_rate", ">", 0),
            ),
          ),
        )
        .execute();
    },

    /** The grader versions that have graded the conversation under one of its names. */
    async gradedBy(projectId: string, names: readonly string[]): Promise<Set<string>> {
      const rows = await db
        .selectFrom("production_grades")
        .select("grader_version_id")
        .where("project_id", "=", projectId)
        .where("conversation", "in", names)
        .execute();
      return new Set(rows.map((row) => row.grader_version_id));
    },

    /** A grader version's first verdict on a conversation stays. */
    async keep(projectId: string, conversation: string, grades: readonly NewGrade[]): Promise<void> {
      const graded_at = new Date().toISOString();
      await db
        .insertInto("production_grades")
        .values(
          grades.map((grade) => ({
            id: newId("gra"),
            project_id: projectId,
            conversation,
            grader_version_id: grade.graderVersionId,
            grade: JSON.stringify(grade),
            graded_at,
          })),
        )
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
  };
}
