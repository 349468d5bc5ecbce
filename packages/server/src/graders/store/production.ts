import type { Verdict } from "@svc/contract";
import { sql } from "kysely";
import { newId } from "../../ids.ts";
import { dialectOf, isPostgres, postgresNowMs as nowMs } from "../../stores/dialect.ts";
import type { Db } from "../../stores/relational.ts";
import { transaction } from "../../stores/transaction.ts";
import type { NewGrade } from "../grader.ts";

/** The right to grade a project's production conversations. All that the service received before `receivedMs` are graded. */
export type ProductionLease = { receivedMs: number };

/**
 * Processes receive conversations by their own clocks, and a conversation can be seen later than one with a later time. With
 * several processes, each look therefore begins this long before the checkpoint.
 */
const CLOCKS_DIFFER_MS = 10 * 60_000;

export type ProductionStore = {
  /** Returns the projects with a checkpoint. */
  listProjects: () => Promise<{ projectId: string; projectNumber: number }[]>;
  /**
   * Leases the project's production conversations for this process and returns its checkpoint; undefined while another process
   * grades them. A data folder has one process, which needs no lease.
   */
  lease: (projectId: string, leaseMs: number) => Promise<ProductionLease | undefined>;
  /** Extends the lease. */
  renew: (projectId: string, leaseMs: number) => Promise<void>;
  /** Ends the lease. */
  release: (projectId: string) => Promise<void>;
  /** Moves the project's checkpoint forward, never back. */
  advanceCheckpoint: (projectId: string, receivedMs: number) => Promise<void>;
  /** Deletes the checkpoint of a project unless one of its graders grades production. */
  deleteUnusedCheckpoint: (projectId: string) => Promise<void>;
  /** Returns the ids of the grader versions that have graded the conversation under one of its names. */
  versionsThatGraded: (projectId: string, names: readonly string[]) => Promise<Set<string>>;
  /** Returns the names of the project's conversations with the newest grades of the verdict, at most `limit`. */
  listConversations: (projectId: string, verdict: Verdict, limit: number) => Promise<string[]>;
  /**
   * Inserts the grades unless the conversation was deleted meanwhile; a grader version's first grade of a conversation stays.
   */
  insertGrades: (
    projectId: string,
    conversation: string,
    grades: readonly NewGrade[],
    isDeleted: () => boolean,
  ) => Promise<void>;
};

export function createProductionStore(db: Db): ProductionStore {
  const checkpointOf = (projectId: string) =>
    db.updateTable("production_checkpoints").where("project_id", "=", projectId);

  return {
    listProjects: () =>
      db
        .selectFrom("production_checkpoints")
        .innerJoin("projects", "projects.id", "project_id")
        .select(["project_id as projectId", "projects.number as projectNumber"])
        .orderBy("project_id")
        .execute(),

    async lease(projectId, leaseMs) {
      const own = db.selectFrom("production_checkpoints").select("received_ms").where("project_id", "=", projectId);
      if (!isPostgres(db)) {
        const checkpoint = await own.executeTakeFirst();
        return checkpoint && { receivedMs: checkpoint.received_ms };
      }
      const leased = await checkpointOf(projectId)
        .set({ leased_until_ms: sql<number>`${nowMs} + ${sql.lit(leaseMs)}` })
        .where("leased_until_ms", "<", nowMs)
        .returning(["received_ms", "from_ms"])
        .executeTakeFirst();
      return leased && { receivedMs: Math.max(leased.from_ms, leased.received_ms - CLOCKS_DIFFER_MS) };
    },

    async renew(projectId, leaseMs) {
      if (!isPostgres(db)) return;
      await checkpointOf(projectId)
        .set({ leased_until_ms: sql<number>`${nowMs} + ${sql.lit(leaseMs)}` })
        .execute();
    },

    async release(projectId) {
      if (isPostgres(db)) await checkpointOf(projectId).set({ leased_until_ms: 0 }).execute();
    },

    async advanceCheckpoint(projectId, receivedMs) {
      await db
        .updateTable("production_checkpoints")
        .set({ received_ms: receivedMs })
        .where("project_id", "=", projectId)
        .where("received_ms", "<", receivedMs)
        .execute();
    },

    async deleteUnusedCheckpoint(projectId) {
      await transaction(db, projectId, (tx) =>
        tx
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
          .execute(),
      );
    },

    async versionsThatGraded(projectId, names) {
      const rows = await db
        .selectFrom("production_grades")
        .select("grader_version_id")
        .where("project_id", "=", projectId)
        .where("conversation", "in", names)
        .execute();
      return new Set(rows.map((row) => row.grader_version_id));
    },

    async listConversations(projectId, verdict, limit) {
      const rows = await db
        .selectFrom("production_grades")
        .select("conversation")
        .where("project_id", "=", projectId)
        .where(dialectOf(db).jsonText("grade", "verdict"), "=", verdict)
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
      return [...new Set(rows.map(({ conversation }) => conversation))];
    },

    async insertGrades(projectId, conversation, grades, isDeleted) {
      const graded_at = new Date().toISOString();
      const rows = grades.map((grade) => ({
        id: newId("gra"),
        project_id: projectId,
        conversation,
        grader_version_id: grade.graderVersionId,
        grade: JSON.stringify(grade),
        graded_at,
      }));
      await transaction(db, projectId, async (tx) => {
        if (isDeleted()) return;
        await tx
          .insertInto("production_grades")
          .values(rows)
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      });
    },
  };
}

/** Starts to grade the project's production conversations from now on; an existing checkpoint stays. */
export async function startCheckpoint(tx: Db, projectId: string): Promise<void> {
  const now = Date.now();
  await tx
    .insertInto("production_checkpoints")
    .values({ project_id: projectId, received_ms: now, from_ms: now })
    .onConflict((conflict) => conflict.column("project_id").doNothing())
    .execute();
}
