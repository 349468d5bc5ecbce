import type { Channel, Verdict } from "@svc/contract";
import { newId } from "../../../base/ids.ts";
import { dialectOf } from "../../../stores/dialect.ts";
import { leasesOfProcesses, RELEASED } from "../../../stores/lease.ts";
import { recordEvent } from "../../../stores/events.ts";
import type { Db } from "../../../stores/relational.ts";
import { transaction } from "../../../stores/transaction.ts";
import { recordToGroup } from "../../../stores/ungrouped-failures.ts";
import { isFailed, type NewGrade } from "../grader.ts";
import { queueGraded } from "../review/store/queue.ts";

/**
 * Lease on the grading of a project's production conversations. It contains the checkpoint: all conversations received before `receivedMs`
 * are graded.
 */
export type ProductionLease = { receivedMs: number };

export type GradedConversation = {
  name: string;
  /** All names under which earlier grades of the conversation may be stored. */
  names: readonly string[];
  traceId: string;
  agentName: string | null;
  agentVersion: string | null;
  channel: Channel | null;
  startedAt: string;
};

export type NewestGrade = { id: string; grade: NewGrade; gradedAt: string };

export type NamedPlace = { names: readonly string[] };

/** A grader's decision about a conversation. `place` is the index of the conversation in the list. */
export type GraderDecision = { graderId: string; graderName: string; place: number; failed: boolean };

const NAMES_PER_QUERY = 400;

export type ProductionStore = {
  /** Returns the projects with a checkpoint. */
  listProjects: () => Promise<{ projectId: string; projectNumber: number }[]>;
  /**
   * Leases the project's production conversations for this process, and returns the checkpoint. Returns undefined while another process has
   * the lease. Each process uses its own clock for the time of receipt, so a conversation can be stored after a conversation with a later
   * time. The returned checkpoint is therefore earlier than the stored checkpoint, by the largest expected difference of the clocks.
   */
  lease: (projectId: string, leaseMs: number) => Promise<ProductionLease | undefined>;
  renew: (projectId: string, leaseMs: number) => Promise<void>;
  release: (projectId: string) => Promise<void>;
  /** Moves the checkpoint to a later time. Does nothing for an earlier time. */
  advanceCheckpoint: (projectId: string, receivedMs: number) => Promise<void>;
  /** Deletes the checkpoint of a project, unless one of its graders grades production conversations. */
  deleteUnusedCheckpoint: (projectId: string) => Promise<void>;
  versionsThatGraded: (projectId: string, names: readonly string[]) => Promise<Set<string>>;
  /** Returns each grader's newest grade of the conversation, under any of its names. */
  newestGrades: (projectId: string, names: readonly string[]) => Promise<NewestGrade[]>;
  areNewest: (tx: Db, projectId: string, names: readonly string[], grades: readonly NewestGrade[]) => Promise<boolean>;
  /** Returns the names of conversations whose newest grades have the verdict. Reads at most `limit` grades. */
  listConversations: (projectId: string, verdict: Verdict, limit: number) => Promise<string[]>;
  /** Returns the newest decision of each grader about each conversation. Leaves out verdicts other than passed and failed. */
  listDecisions: (projectId: string, conversations: readonly NamedPlace[]) => Promise<GraderDecision[]>;
  /**
   * Inserts the grades, unless the conversation was deleted in the meantime. If a grader version has already graded the conversation, the
   * first grade remains. Adds the conversation to the review queue if the queue selects it. Records an event once if a grade that counts
   * failed.
   */
  insertGrades: (
    projectId: string,
    conversation: GradedConversation,
    grades: readonly NewGrade[],
    isDeleted: () => boolean,
  ) => Promise<void>;
};

export function createProductionStore(db: Db): ProductionStore {
  const leases = leasesOfProcesses(db);
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
      const leased = await checkpointOf(projectId)
        .set({ leased_until_ms: leases.until(leaseMs) })
        .where(leases.isFree("leased_until_ms"))
        .returning(["received_ms", "from_ms"])
        .executeTakeFirst();
      return leased && { receivedMs: Math.max(leased.from_ms, leased.received_ms - leases.clocksDifferMs) };
    },

    async renew(projectId, leaseMs) {
      await checkpointOf(projectId)
        .set({ leased_until_ms: leases.until(leaseMs) })
        .execute();
    },

    async release(projectId) {
      await checkpointOf(projectId).set({ leased_until_ms: RELEASED }).execute();
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

    newestGrades: (projectId, names) => newestGrades(db, projectId, names),

    async areNewest(tx, projectId, names, grades) {
      const now = await newestGrades(tx, projectId, names);
      return now.length === grades.length && now.every(({ id }, index) => id === grades[index]!.id);
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

    async listDecisions(projectId, conversations) {
      const placeOf = new Map(conversations.flatMap(({ names }, place) => names.map((name) => [name, place] as const)));
      const names = [...placeOf.keys()];
      const { jsonText } = dialectOf(db);
      const decisions = new Map<string, GraderDecision>();
      for (let from = 0; from < names.length; from += NAMES_PER_QUERY) {
        const rows = await db
          .selectFrom("production_grades")
          .select([
            "conversation",
            jsonText("grade", "graderId").as("graderId"),
            jsonText("grade", "graderName").as("graderName"),
            jsonText("grade", "verdict").as("verdict"),
          ])
          .where("project_id", "=", projectId)
          .where("conversation", "in", names.slice(from, from + NAMES_PER_QUERY))
          .orderBy("id")
          .execute();
        for (const { conversation, graderId, graderName, verdict } of rows) {
          if (verdict !== "passed" && verdict !== "failed") continue;
          const place = placeOf.get(conversation)!;
          decisions.set(`${graderId} ${place}`, { graderId, graderName, place, failed: verdict === "failed" });
        }
      }
      return [...decisions.values()];
    },

    async insertGrades(projectId, conversation, grades, isDeleted) {
      const now = new Date();
      const rows = grades.map((grade) => ({
        id: newId("gra"),
        project_id: projectId,
        conversation: conversation.name,
        grader_version_id: grade.graderVersionId,
        grade: JSON.stringify(grade),
        graded_at: now.toISOString(),
        agent: conversation.agentName,
        agent_version: conversation.agentVersion,
        channel: conversation.channel,
        graded_ms: now.getTime(),
      }));
      await transaction(db, projectId, async (tx) => {
        if (isDeleted()) return;
        const inserted = await tx
          .insertInto("production_grades")
          .values(rows)
          .onConflict((conflict) => conflict.doNothing())
          .returning(["id", "grader_version_id"])
          .execute();
        const idOf = new Map(inserted.map(({ id, grader_version_id }) => [grader_version_id, id]));
        const stored = grades.flatMap((grade) => {
          const id = idOf.get(grade.graderVersionId);
          return id === undefined ? [] : [{ ...grade, id }];
        });
        await queueGraded(
          tx,
          projectId,
          { ...conversation, source: "production", runId: null },
          stored,
          async () => conversation.agentName,
        );
        await recordIfFailed(tx, projectId, conversation, stored);
      });
    },
  };
}

async function newestGrades(db: Db, projectId: string, names: readonly string[]): Promise<NewestGrade[]> {
  const rows = await db
    .selectFrom("production_grades")
    .select(["id", "grade", "graded_at"])
    .where("project_id", "=", projectId)
    .where("conversation", "in", names)
    .orderBy("id")
    .execute();
  const newest = new Map<string | null, NewestGrade>();
  for (const { id, grade: json, graded_at: gradedAt } of rows) {
    const grade = JSON.parse(json) as NewGrade;
    newest.set(grade.graderId, { id, grade, gradedAt });
  }
  return [...newest.values()];
}

async function recordIfFailed(
  tx: Db,
  projectId: string,
  { name, traceId, agentName, startedAt }: GradedConversation,
  grades: readonly NewGrade[],
): Promise<void> {
  const failed = grades.filter(isFailed);
  const hasFailed = failed.length > 0;
  await recordToGroup(tx, { projectId, source: "production", conversation: name, traceId, hasFailed });
  if (!hasFailed) return;
  await recordEvent(tx, projectId, {
    type: "conversation.failed",
    about: traceId,
    agentName,
    data: {
      conversation: { traceId, agentName, startedAt },
      failed: failed.map(({ graderId, graderVersionId, graderName }) => ({
        graderId: graderId!,
        graderVersionId: graderVersionId!,
        name: graderName,
      })),
    },
    once: true,
  });
}

/** Starts the grading of the project's production conversations from now on. */
export async function startCheckpoint(tx: Db, projectId: string): Promise<void> {
  const now = Date.now();
  await tx
    .insertInto("production_checkpoints")
    .values({ project_id: projectId, received_ms: now, from_ms: now })
    .onConflict((conflict) => conflict.column("project_id").doNothing())
    .execute();
}
