import type { AlertRuleContent } from "@svc/contract";
import type { Db } from "../../../../stores/relational.ts";
import { transaction } from "../../../../stores/transaction.ts";
import type { NewGrade } from "../../grader.ts";
import { alertReason, type GradeInDoubt, hasScope, type RaisedAlert, reviewOf } from "../rules.ts";
import { addTo, findItem, insertItem, type QueuedConversation } from "./queue.ts";
import { readSettings, scopeOf, watchesAlerts } from "./settings.ts";

const ALERTS_AT_ONCE = 50;

/** An alert whose conversations are not in the queue yet. */
export type DueAlert = RaisedAlert & {
  project_id: string;
  project_number: number;
  rule: Pick<AlertRuleContent, "watch" | "source">;
};

/** A conversation of an alert, with the name of its agent. */
export type AlertedConversation = QueuedConversation & { agent: string | null };

export type ReviewAlerts = ReturnType<typeof createReviewAlerts>;

/** Raised alerts as a source of review queues. */
export function createReviewAlerts(db: Db) {
  return {
    /** Returns raised alerts that a queue has not taken up, oldest first. */
    async listDue(): Promise<DueAlert[]> {
      const projects = await db.selectFrom("review_settings").select("project_id").execute();
      const due: DueAlert[] = [];
      for (const { project_id: projectId } of projects) {
        const { settings, alertsAfter } = await readSettings(db, projectId);
        if (!watchesAlerts(settings)) continue;
        const rows = await db
          .selectFrom("alerts")
          .innerJoin("alert_rules", "alert_rules.id", "rule_id")
          .innerJoin("projects", "projects.id", "alerts.project_id")
          .leftJoin("review_alerts", "alert_id", "alerts.id")
          .select(["alerts.id", "rule_name", "agent", "what", "window_started_at", "raised_at"])
          .select(["alerts.project_id", "projects.number as project_number", "alert_rules.content"])
          .where("alerts.project_id", "=", projectId)
          .where("alerts.id", ">", alertsAfter)
          .where("alert_id", "is", null)
          .orderBy("alerts.id")
          .limit(ALERTS_AT_ONCE)
          .execute();
        due.push(...rows.map(({ content, ...row }) => ({ ...row, rule: JSON.parse(content) as AlertRuleContent })));
      }
      return due;
    },

    /**
     * Brings the conversations of an alert into the queue, once, except those that are deleted. Those without a grade to label wait
     * for one.
     */
    queue: (
      alert: DueAlert,
      conversations: readonly AlertedConversation[],
      isDeleted: (conversation: AlertedConversation) => boolean,
    ): Promise<void> =>
      transaction(db, scopeOf(alert.project_id), async (tx) => {
        const taken = await tx
          .insertInto("review_alerts")
          .values({ alert_id: alert.id, looked_at: new Date().toISOString() })
          .onConflict((conflict) => conflict.doNothing())
          .returning("alert_id")
          .executeTakeFirst();
        if (taken === undefined) return;
        const { settings } = await readSettings(tx, alert.project_id);
        for (const conversation of conversations) {
          if (isDeleted(conversation) || !hasScope(settings, conversation.source)) continue;
          const stored = await gradesOf(tx, alert.project_id, conversation);
          const { gradeIds, peopleWanted } = reviewOf(settings, alert.project_id, conversation, stored, true);
          const grades = stored.filter(({ id }) => gradeIds.includes(id));
          const arrival = { reasons: [alertReason(alert)], grades, peopleWanted };
          const item = await findItem(tx, alert.project_id, conversation.names);
          if (item === undefined) await insertItem(tx, alert.project_id, conversation, arrival, conversation.agent);
          else await addTo(tx, item, arrival);
        }
      }),
  };
}

/** Returns the grades of a conversation: of a simulation, those of its last grading. */
async function gradesOf(
  tx: Db,
  projectId: string,
  { source, name, names }: QueuedConversation,
): Promise<GradeInDoubt[]> {
  const rows =
    source === "simulation"
      ? await tx
          .selectFrom("grades")
          .select(["id", "grade"])
          .where("simulation_id", "=", name)
          .where("grading", "=", ({ selectFrom, fn }) =>
            selectFrom("grades").select(fn.max("grading").as("last")).where("simulation_id", "=", name),
          )
          .orderBy("position")
          .execute()
      : await tx
          .selectFrom("production_grades")
          .select(["id", "grade"])
          .where("project_id", "=", projectId)
          .where("conversation", "in", names)
          .orderBy("id")
          .execute();
  return rows.map(({ id, grade }) => ({ ...(JSON.parse(grade) as NewGrade), id }));
}
