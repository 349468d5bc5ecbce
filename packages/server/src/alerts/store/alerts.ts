import { type Alert, type EventData, watchedWords } from "@svc/contract";
import type { FindProjects } from "../../access/projects.ts";
import { notFound } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { recordEvent } from "../../stores/events.ts";
import { type Page, type PageRequest, readPage } from "../../stores/page.ts";
import { projectOfRow } from "../../stores/project-of-row.ts";
import { readProjectAddress } from "../../stores/project-address.ts";
import type { Db } from "../../stores/relational.ts";
import type { Raising } from "../raising.ts";
import {
  type AlertRow,
  type AlertRuleRow,
  contentOf,
  isMuted,
  isReminded,
  type JudgedWindow,
  presentAlert,
} from "../rules.ts";
import { windowMsOf } from "../windows.ts";
import { addConversations, shownConversations, traceIdsOfAlert } from "./conversations.ts";

export type AlertStore = ReturnType<typeof createAlertStore>;

/** `serviceUrl` is the address of the service, for links. The functions with `tx` record an event for each change. */
export function createAlertStore(db: Db, serviceUrl: string) {
  const findProjects: FindProjects = (id) => projectOfRow(db, "alerts", id);
  const shownAlerts = (projectId: string) =>
    db
      .selectFrom("alerts")
      .leftJoin("users", "users.id", "acknowledged_by")
      .selectAll("alerts")
      .select("users.name as acknowledged_by_name")
      .where("project_id", "=", projectId);

  async function present(on: Db, projectId: string, rows: readonly AlertRow[]): Promise<Alert[]> {
    const address = await readProjectAddress(on, serviceUrl, projectId);
    const ids = rows.map(({ id }) => id);
    const conversations = await shownConversations(on, ids, address);
    return rows.map((row) => presentAlert(row, conversations.get(row.id) ?? []));
  }

  /** Records an event of an alert for the destinations of its rule, unless the rule or the agent is muted. */
  async function tell<Type extends "alert.raised" | "alert.cleared" | "alert.reminded">(
    tx: Db,
    rule: AlertRuleRow,
    row: AlertRow,
    type: Type,
    more: Omit<EventData[Type], "alert">,
  ): Promise<void> {
    if (isMuted(rule, row.agent, Date.now())) return;
    const [alert] = await present(tx, row.project_id, [row]);
    const data = { alert: alert!, ...more } as EventData[Type];
    const { destinationIds } = contentOf(rule);
    await recordEvent(tx, row.project_id, { type, about: row.id, agentName: row.agent, data, destinationIds });
  }

  async function clear(
    tx: Db,
    rule: AlertRuleRow,
    alertId: string,
    atMs: number,
    because: "recovered" | "rule_changed",
  ): Promise<void> {
    const row = await tx
      .updateTable("alerts")
      .set({ cleared_at: new Date(atMs).toISOString(), cleared_because: because })
      .where("id", "=", alertId)
      .returningAll()
      .executeTakeFirst();
    if (row !== undefined) await tell(tx, rule, row, "alert.cleared", {});
  }

  return {
    findProjects,

    async list(
      projectId: string,
      { state, alertRuleId }: { state?: "open" | "cleared" | undefined; alertRuleId?: string | undefined },
      request: PageRequest,
    ): Promise<Page<Alert>> {
      let alerts = shownAlerts(projectId);
      if (state !== undefined) alerts = alerts.where("cleared_at", state === "open" ? "is" : "is not", null);
      if (alertRuleId !== undefined) alerts = alerts.where("rule_id", "=", alertRuleId);
      const page = await readPage(alerts, request, "alerts.id");
      return { ...page, items: await present(db, projectId, page.items) };
    },

    async get(projectId: string, id: string): Promise<Alert> {
      const row = await shownAlerts(projectId).where("alerts.id", "=", id).executeTakeFirstOrThrow(notFound);
      return (await present(db, projectId, [row]))[0]!;
    },

    traceIds: (projectId: string, id: string) => traceIdsOfAlert(db, projectId, id),

    async acknowledge(id: string, userId: string, note: string | null): Promise<void> {
      await db
        .updateTable("alerts")
        .set({ acknowledged_by: userId, acknowledged_at: new Date().toISOString(), note })
        .where("id", "=", id)
        .execute();
    },

    async deleteClearedBefore(time: string): Promise<number> {
      const { numDeletedRows } = await db.deleteFrom("alerts").where("cleared_at", "<", time).executeTakeFirst();
      return Number(numDeletedRows);
    },

    async raise(
      tx: Db,
      rule: AlertRuleRow,
      agent: string | null,
      { startMs, value, samples, limit, usual }: JudgedWindow,
      { conversations, interval }: Raising,
    ): Promise<string> {
      const content = contentOf(rule);
      const row: AlertRow = {
        id: newId("alt"),
        project_id: rule.project_id,
        rule_id: rule.id,
        rule_name: rule.name,
        agent,
        severity: content.severity,
        window_started_at: new Date(startMs).toISOString(),
        raised_at: new Date(startMs + windowMsOf(content)).toISOString(),
        cleared_at: null,
        cleared_because: null,
        value,
        interval_low: interval?.low ?? null,
        interval_high: interval?.high ?? null,
        samples,
        condition_is: content.condition.is,
        // The limit is never null here, because only a bad window raises an alert, and a bad window has a limit.
        condition_value: limit!,
        usual,
        ...watchedWords(content.watch),
        acknowledged_by: null,
        acknowledged_at: null,
        note: null,
        reminded_at: null,
      };
      await tx.insertInto("alerts").values(row).execute();
      await addConversations(tx, row.id, conversations);
      await tell(tx, rule, row, "alert.raised", {});
      return row.id;
    },

    clear,

    /** Records a reminder of an alert whose last window was bad, when the rule's reminder is due and nobody has acknowledged the alert. */
    async remind(tx: Db, rule: AlertRuleRow, alertId: string, window: JudgedWindow): Promise<void> {
      const { startMs, value, samples } = window;
      const content = contentOf(rule);
      const endMs = startMs + windowMsOf(content);
      const row = await tx.selectFrom("alerts").selectAll().where("id", "=", alertId).executeTakeFirst();
      if (row === undefined || isMuted(rule, row.agent, Date.now()) || !isReminded(content, row, endMs)) return;
      const endedAt = new Date(endMs).toISOString();
      await tx.updateTable("alerts").set({ reminded_at: endedAt }).where("id", "=", alertId).execute();
      await tell(tx, rule, row, "alert.reminded", { latest: { endedAt, value, samples } });
    },

    /** Clears the open alerts of a rule that changed. */
    async clearOpen(tx: Db, rule: AlertRuleRow, nowMs: number): Promise<void> {
      const open = await tx
        .selectFrom("alerts")
        .select("id")
        .where("rule_id", "=", rule.id)
        .where("cleared_at", "is", null)
        .orderBy("id")
        .execute();
      for (const { id } of open) await clear(tx, rule, id, nowMs, "rule_changed");
    },

    async countOpen(ruleIds: readonly string[]): Promise<Map<string, number>> {
      if (ruleIds.length === 0) return new Map();
      const rows = await db
        .selectFrom("alerts")
        .select("rule_id")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("rule_id", "in", ruleIds)
        .where("cleared_at", "is", null)
        .groupBy("rule_id")
        .execute();
      return new Map(rows.map(({ rule_id, count }) => [rule_id, Number(count)]));
    },
  };
}
