import type { Db } from "./relational.ts";

type Graded = {
  projectId: string;
  source: "production" | "simulation";
  conversation: string;
  traceId: string;
  hasFailed: boolean;
};

/**
 * Records, in the transaction of a grading, that a conversation's failures must be grouped. Does nothing for a conversation that
 * neither failed nor was in a group before. The grouping finds the record after the commit.
 */
export async function recordToGroup(
  tx: Db,
  { projectId, source, conversation, traceId, hasFailed }: Graded,
): Promise<void> {
  if (!hasFailed) {
    const grouped = tx
      .selectFrom("grouped_failures")
      .select("group_id")
      .where("project_id", "=", projectId)
      .where("conversation", "=", conversation)
      .where("source", "=", source);
    if ((await grouped.limit(1).executeTakeFirst()) === undefined) return;
  }
  const next_ms = Date.now();
  await tx
    .insertInto("ungrouped_failures")
    .values({ project_id: projectId, conversation, source, trace_id: traceId, revision: 1, attempts: 0, next_ms })
    .onConflict((conflict) =>
      conflict.columns(["project_id", "conversation"]).doUpdateSet((eb) => ({
        source,
        trace_id: traceId,
        revision: eb("ungrouped_failures.revision", "+", 1),
        attempts: 0,
        next_ms,
      })),
    )
    .execute();
}
