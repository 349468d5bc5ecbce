import { leasesOfProcesses, RELEASED } from "../../stores/lease.ts";
import type { Db } from "../../stores/relational.ts";
import type { Selectable } from "kysely";
import type { Schema } from "../../stores/schema.ts";

export type DueRow = Selectable<Schema["ungrouped_failures"]>;
export type GroupedProject = { id: string; number: number };

const AGAIN_MS = 5_000;
const AGAIN_MS_MAX = 60 * 60_000;

export type DueStore = ReturnType<typeof createDueStore>;

/** Creates the store of due conversations. A process leases the conversations that it groups. */
export function createDueStore(db: Db) {
  const leases = leasesOfProcesses(db);

  return {
    /** Leases at most `limit` due conversations of the project that has waited longest. Returns undefined when no conversation is due. */
    async lease(
      limit: number,
      leaseMs: number,
      nowMs: number,
    ): Promise<{ project: GroupedProject; due: DueRow[] } | undefined> {
      const waiting = db
        .selectFrom("ungrouped_failures")
        .where("next_ms", "<=", nowMs)
        .where(leases.isFree("leased_until_ms"));
      const first = await waiting
        .innerJoin("projects", "projects.id", "project_id")
        .select(["projects.id", "projects.number"])
        .orderBy("next_ms")
        .limit(1)
        .executeTakeFirst();
      if (first === undefined) return undefined;
      const found = await waiting
        .select("conversation")
        .where("project_id", "=", first.id)
        .orderBy("next_ms")
        .limit(limit)
        .execute();
      const names = found.map(({ conversation }) => conversation);
      const due = await db
        .updateTable("ungrouped_failures")
        .set({ leased_until_ms: leases.until(leaseMs) })
        .where("project_id", "=", first.id)
        .where("conversation", "in", names)
        .where(leases.isFree("leased_until_ms"))
        .returningAll()
        .execute();
      return { project: first, due };
    },

    /** Postpones the grouping of a conversation. The pause before the next attempt grows with the number of attempts. */
    async postpone({ project_id, conversation, attempts }: DueRow, nowMs: number): Promise<void> {
      await db
        .updateTable("ungrouped_failures")
        .set({
          attempts: attempts + 1,
          next_ms: nowMs + Math.min(AGAIN_MS * 2 ** attempts, AGAIN_MS_MAX),
          leased_until_ms: RELEASED,
        })
        .where("project_id", "=", project_id)
        .where("conversation", "=", conversation)
        .execute();
    },
  };
}

/**
 * Removes a conversation from the due conversations. Returns false, and only ends the lease, when `isGrouped` is false or the conversation
 * was graded again after it was read.
 */
export async function takeDue(
  tx: Db,
  { project_id, conversation, revision }: DueRow,
  isGrouped: boolean,
): Promise<boolean> {
  const row = { project_id, conversation };
  if (isGrouped) {
    const { numDeletedRows } = await tx
      .deleteFrom("ungrouped_failures")
      .where("project_id", "=", row.project_id)
      .where("conversation", "=", row.conversation)
      .where("revision", "=", revision)
      .executeTakeFirst();
    if (numDeletedRows > 0n) return true;
  }
  await tx
    .updateTable("ungrouped_failures")
    .set({ leased_until_ms: RELEASED })
    .where("project_id", "=", row.project_id)
    .where("conversation", "=", row.conversation)
    .execute();
  return false;
}
