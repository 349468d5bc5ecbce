import type { AlertRuleContent } from "@svc/contract";
import type { Db } from "../../../../stores/relational.ts";
import { transaction } from "../../../../stores/transaction.ts";
import { alertReason, type RaisedAlert } from "../rules.ts";
import { deleteWaiting, type QueuedWithAgent, queueWhole } from "./queue.ts";
import { readSettings, scopeOf, watchesAlerts } from "./settings.ts";

const ALERTS_AT_ONCE = 50;
/** Time that an item waits for a grade. A conversation is graded within minutes of its end, or never. */
const WAITS_MS = 24 * 60 * 60_000;

export type DueAlert = RaisedAlert & {
  project_id: string;
  project_number: number;
  /** Kind of the value that the alert's rule watches. */
  watches: AlertRuleContent["watch"]["kind"];
};

export type ReviewAlerts = ReturnType<typeof createReviewAlerts>;

export function createReviewAlerts(db: Db) {
  return {
    /**
     * Returns the alerts whose conversations are not in the queue yet. Also deletes the items of the queue that have waited for a grade longer than
     * `WAITS_MS`.
     */
    async listDue(): Promise<DueAlert[]> {
      const projects = await db.selectFrom("review_settings").select("project_id").execute();
      const due: DueAlert[] = [];
      const before = new Date(Date.now() - WAITS_MS).toISOString();
      for (const { project_id: projectId } of projects) {
        await deleteWaiting(db, projectId, before);
        const { settings, alertsAfter } = await readSettings(db, projectId);
        if (!watchesAlerts(settings)) continue;
        const rows = await db
          .selectFrom("alerts")
          .innerJoin("alert_rules", "alert_rules.id", "rule_id")
          .innerJoin("projects", "projects.id", "alerts.project_id")
          .leftJoin("review_alerts", "alert_id", "alerts.id")
          .select(["alerts.id", "rule_name", "agent", "what"])
          .select(["alerts.project_id", "projects.number as project_number", "alert_rules.content"])
          .where("alerts.project_id", "=", projectId)
          .where("alerts.id", ">", alertsAfter)
          .where("alert_id", "is", null)
          .orderBy("alerts.id")
          .limit(ALERTS_AT_ONCE)
          .execute();
        due.push(
          ...rows.map(({ content, ...row }) => ({
            ...row,
            watches: (JSON.parse(content) as AlertRuleContent).watch.kind,
          })),
        );
      }
      return due;
    },

    /** Returns the ids of the traces of the conversations that raised the alert, worst first. */
    async listRaising({ id, watches }: DueAlert, limit: number): Promise<string[]> {
      // No single conversation explains a number of conversations.
      if (watches === "conversations") return [];
      const rows = await db
        .selectFrom("alert_conversations")
        .select("trace_id")
        .where("alert_id", "=", id)
        .orderBy("place")
        .limit(limit)
        .execute();
      return rows.map(({ trace_id }) => trace_id);
    },

    /**
     * Adds the conversations of an alert to the queue once, except deleted conversations. The item of a conversation without a grade to
     * label waits for a grade.
     */
    queue: (
      alert: DueAlert,
      conversations: readonly QueuedWithAgent[],
      isDeleted: (conversation: QueuedWithAgent) => boolean,
    ): Promise<void> =>
      transaction(db, scopeOf(alert.project_id), async (tx) => {
        const taken = await tx
          .insertInto("review_alerts")
          .values({ alert_id: alert.id, looked_at: new Date().toISOString() })
          .onConflict((conflict) => conflict.doNothing())
          .returning("alert_id")
          .executeTakeFirst();
        if (taken === undefined) return;
        for (const conversation of conversations)
          if (!isDeleted(conversation)) await queueWhole(tx, alert.project_id, conversation, alertReason(alert));
      }),
  };
}
