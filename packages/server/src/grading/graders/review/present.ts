import { LIMITS, type ReviewItem, type ReviewQueue } from "@svc/contract";
import type { ItemDetails, ItemRow, QueueCounts } from "./store/items.ts";
import type { StoredSettings } from "./store/settings.ts";

export function presentItem(row: ItemRow, { reasons, grades, people }: ItemDetails): ReviewItem {
  return {
    id: row.id,
    projectId: row.project_id,
    source: row.source,
    traceId: row.trace_id,
    runId: row.run_id,
    simulationId: row.source === "simulation" ? row.conversation : null,
    agentName: row.agent,
    startedAt: row.started_at,
    state: row.state,
    reasons: reasons.map(({ reason, sentence, grader_id, alert_id, created_at }) => ({
      reason,
      sentence,
      graderId: grader_id,
      alertId: alert_id,
      at: created_at,
    })),
    gradeIds: grades.map(({ grade_id }) => grade_id),
    peopleWanted: row.people_wanted,
    people: people.map(({ user_id, user_name, did, at }) => ({ userId: user_id, userName: user_name, did, at })),
    createdAt: row.created_at,
    closedAt: row.closed_at,
  };
}

export const presentQueue = ({ settings, leftOut }: StoredSettings, counts: QueueCounts): ReviewQueue => ({
  ...settings,
  counts,
  itemsMax: LIMITS.reviewItems,
  leftOut,
});
