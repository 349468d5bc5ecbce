import { REVIEW_DEFAULTS, type ReviewSettings } from "@svc/contract";
import type { Db } from "../../../../stores/relational.ts";

export const DEFAULTS: ReviewSettings = { ...REVIEW_DEFAULTS, sources: [...REVIEW_DEFAULTS.sources] };

/** Scope of the transactions that change the review queue of a project: only one of them runs at a time, across processes. */
export const scopeOf = (projectId: string): string => `review ${projectId}`;

/**
 * Settings of a project's review queue. `leftOut` is the number of conversations that were not queued because the queue was full.
 * `alertsAfter` is the id of the last alert before the queue began to accept alerts.
 */
export type StoredSettings = { settings: ReviewSettings; leftOut: number; alertsAfter: string };

export async function readSettings(db: Db, projectId: string): Promise<StoredSettings> {
  const row = await db.selectFrom("review_settings").selectAll().where("project_id", "=", projectId).executeTakeFirst();
  if (row === undefined) return { settings: DEFAULTS, leftOut: 0, alertsAfter: "" };
  return {
    settings: { ...DEFAULTS, ...(JSON.parse(row.content) as Partial<ReviewSettings>) },
    leftOut: row.left_out,
    alertsAfter: row.alerts_after,
  };
}

/** Stores the settings. When alerts become a source of the queue, only alerts that are raised afterwards are queued. */
export async function writeSettings(
  tx: Db,
  projectId: string,
  { settings: before, alertsAfter }: StoredSettings,
  settings: ReviewSettings,
): Promise<void> {
  const alerts_after = watchesAlerts(before) ? alertsAfter : await newestAlert(tx, projectId);
  const row = { content: JSON.stringify(settings), alerts_after, updated_at: new Date().toISOString() };
  await tx
    .insertInto("review_settings")
    .values({ project_id: projectId, left_out: 0, ...row })
    .onConflict((conflict) => conflict.column("project_id").doUpdateSet(row))
    .execute();
}

export const watchesAlerts = ({ enabled, sources }: ReviewSettings): boolean => enabled && sources.includes("alert");

async function newestAlert(tx: Db, projectId: string): Promise<string> {
  const row = await tx
    .selectFrom("alerts")
    .select("id")
    .where("project_id", "=", projectId)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? "";
}
