import { readPages } from "../../stores/page.ts";
import type { Db } from "../../stores/relational.ts";

// The rows of exports, oldest first, with the names of the exported columns.

const ROWS_AT_ONCE = 500;

type After = { id: string } | undefined;

export const exportAlertRules = (db: Db, projectId: string) =>
  readPages((after: After) =>
    db
      .selectFrom("alert_rules")
      .select(["id", "name", "enabled", "muted_until", "content", "created_at", "updated_at"])
      .where("project_id", "=", projectId)
      .where("id", ">", after?.id ?? "")
      .orderBy("id")
      .limit(ROWS_AT_ONCE)
      .execute(),
  );

export const exportAlerts = (db: Db, projectId: string) =>
  readPages((after: After) =>
    db
      .selectFrom("alerts")
      .leftJoin("users", "users.id", "acknowledged_by")
      .select(["alerts.id", "rule_id as alert_rule_id", "rule_name", "agent", "severity", "window_started_at"])
      .select(["raised_at", "cleared_at", "cleared_because", "value", "interval_low", "interval_high", "samples"])
      .select(["condition_is", "condition_value", "usual", "unit", "what", "users.name as acknowledged_by"])
      .select(["acknowledged_at", "note"])
      .where("project_id", "=", projectId)
      .where("alerts.id", ">", after?.id ?? "")
      .orderBy("alerts.id")
      .limit(ROWS_AT_ONCE)
      .execute(),
  );

export const exportAlertConversations = (db: Db, projectId: string) =>
  readPages((after: { alert_id: string; place: number } | undefined) =>
    db
      .selectFrom("alert_conversations")
      .innerJoin("alerts", "alerts.id", "alert_id")
      .select(["alert_id", "place", "trace_id", "turn", "alert_conversations.value"])
      .where("project_id", "=", projectId)
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple("alert_id", "place"), ">", tuple(after?.alert_id ?? "", after?.place ?? 0)),
      )
      .orderBy("alert_id")
      .orderBy("place")
      .limit(ROWS_AT_ONCE)
      .execute(),
  );
