import { type AlertConversation, type EventData, LIMITS } from "@svc/contract";
import { changeEvents } from "../../stores/events.ts";
import { projectUrl, type ProjectAddress } from "../../stores/project-address.ts";
import type { Db } from "../../stores/relational.ts";
import { transaction } from "../../stores/transaction.ts";
import type { ConversationTexts } from "../../traces/erasure/open.ts";
import type { CountedConversation } from "../../traces/store/trace-store.ts";

const ROWS_AT_ONCE = 500;

export async function addConversations(
  tx: Db,
  alertId: string,
  conversations: readonly CountedConversation[],
): Promise<void> {
  const rows = conversations.map(({ traceId, turn, value }, place) => ({
    alert_id: alertId,
    place,
    trace_id: traceId,
    turn,
    value,
  }));
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE)
    await tx
      .insertInto("alert_conversations")
      .values(rows.slice(from, from + ROWS_AT_ONCE))
      .execute();
}

/** Returns the worst conversations of each alert. */
export async function shownConversations(
  db: Db,
  alertIds: readonly string[],
  address: ProjectAddress,
): Promise<Map<string, AlertConversation[]>> {
  if (alertIds.length === 0) return new Map();
  const numbered = db
    .selectFrom("alert_conversations")
    .selectAll()
    .select(({ fn }) =>
      fn
        .agg<number>("row_number")
        .over((over) => over.partitionBy("alert_id").orderBy("place"))
        .as("number"),
    )
    .where("alert_id", "in", alertIds);
  const rows = await db
    .selectFrom(numbered.as("numbered"))
    .selectAll()
    .where("number", "<=", LIMITS.alertConversationsShown)
    .orderBy("place")
    .execute();
  const pages = `${projectUrl(address)}/conversations`;
  const shown = Map.groupBy(rows, ({ alert_id }) => alert_id);
  return new Map(
    [...shown].map(([alertId, own]) => [
      alertId,
      own.map(({ trace_id: traceId, turn, value }) => ({
        traceId,
        turn,
        value,
        link: `${pages}/${traceId}${turn === null ? "" : `?turn=${turn}`}`,
      })),
    ]),
  );
}

/** Returns the ids of the traces of all conversations that raised the alert; none for an alert of another project. */
export async function traceIdsOfAlert(db: Db, projectId: string, alertId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("alert_conversations")
    .innerJoin("alerts", "alerts.id", "alert_id")
    .select("trace_id")
    .where("alert_id", "=", alertId)
    .where("project_id", "=", projectId)
    .orderBy("place")
    .execute();
  return rows.map(({ trace_id }) => trace_id);
}

type AlertData = EventData["alert.raised" | "alert.cleared" | "alert.reminded"];

/** Returns the functions that remove deleted conversations from alerts and from their events. The values of the alerts stay. */
export function createAlertTexts(db: Db): ConversationTexts {
  return {
    async eraseConversations(projectId, names) {
      for (let from = 0; from < names.length; from += ROWS_AT_ONCE) {
        const some = names.slice(from, from + ROWS_AT_ONCE);
        await transaction(db, projectId, async (tx) => {
          const alerts = tx.selectFrom("alerts").select("id").where("project_id", "=", projectId);
          const deleted = await tx
            .deleteFrom("alert_conversations")
            .where("trace_id", "in", some)
            .where("alert_id", "in", alerts)
            .returning("alert_id")
            .execute();
          const erased = new Set(some);
          await changeEvents<AlertData>(tx, projectId, [...new Set(deleted.map((row) => row.alert_id))], (data) => ({
            ...data,
            alert: {
              ...data.alert,
              // Events that an earlier version of the service wrote have no conversations.
              conversations: (data.alert.conversations ?? []).filter(({ traceId }) => !erased.has(traceId)),
            },
          }));
        });
      }
    },

    async eraseBefore(time, projectId) {
      const alerts = db
        .selectFrom("alerts")
        .select("id")
        .where("raised_at", "<", time)
        .$if(projectId !== undefined, (some) => some.where("project_id", "=", projectId!));
      await db.deleteFrom("alert_conversations").where("alert_id", "in", alerts).execute();
    },
  };
}
