import { type AlertRuleContent, type EventData, watchedWords } from "@svc/contract";
import type { FindProjects } from "../access/projects.ts";
import { AppError, notFound } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import { recordEvent, requireDestinations } from "../stores/events.ts";
import { type Page, type PageRequest, readPage } from "../stores/page.ts";
import { projectOfRow } from "../stores/project-of-row.ts";
import { type Db, refuseTaken } from "../stores/relational.ts";
import { transaction } from "../stores/transaction.ts";
import {
  type AgentState,
  type AlertRow,
  type AlertRuleRow,
  contentOf,
  isReminded,
  type JudgedWindow,
  lastWindowEnd,
  presentAlert,
  SETTLE_MS,
} from "./rules.ts";
import { windowMsOf } from "./windows.ts";

export type JudgedAgent = { agent: string | null; judged: readonly JudgedWindow[]; state: AgentState };

export type RuleChange = {
  content: AlertRuleContent;
  enabled: boolean;
  mutedUntil: string | null;
  /** Whether the edit changes the watched value or the condition. The store then clears the rule's open alerts and deletes its states. */
  startsAnew: boolean;
};

export type AlertStore = ReturnType<typeof createAlertStore>;

export function createAlertStore(db: Db) {
  const taken = refuseTaken("The project has an alert rule with this name. Choose another name.");
  const findRuleProjects: FindProjects = (id) => projectOfRow(db, "alert_rules", id);
  const findAlertProjects: FindProjects = (id) => projectOfRow(db, "alerts", id);
  const shownAlerts = (projectId: string) =>
    db
      .selectFrom("alerts")
      .leftJoin("users", "users.id", "acknowledged_by")
      .selectAll("alerts")
      .select("users.name as acknowledged_by_name")
      .where("project_id", "=", projectId);

  return {
    findRuleProjects,
    findAlertProjects,

    getRule: (projectId: string, id: string) => findRule(db, projectId, id),

    listRules: (projectId: string, page: PageRequest): Promise<Page<AlertRuleRow>> =>
      readPage(db.selectFrom("alert_rules").selectAll().where("project_id", "=", projectId), page),

    /** Creates a rule that judges the last whole window and all later windows. Throws when the project has `max` rules already. */
    createRule: (projectId: string, { name, ...content }: AlertRuleContent, max: number): Promise<AlertRuleRow> =>
      transaction(db, projectId, async (tx) => {
        const { count } = await tx
          .selectFrom("alert_rules")
          .select(({ fn }) => fn.countAll<number>().as("count"))
          .where("project_id", "=", projectId)
          .executeTakeFirstOrThrow();
        if (Number(count) >= max)
          throw new AppError("unprocessable", `A project has at most ${max} alert rules. Delete one first.`);
        await requireDestinations(tx, projectId, content.destinationIds);
        const nowMs = Date.now();
        const now = new Date(nowMs).toISOString();
        const row = {
          id: newId("alr"),
          project_id: projectId,
          name,
          content: JSON.stringify({ name, ...content }),
          enabled: 1 as const,
          muted_until: null,
          revision: 1,
          ...startOf({ name, ...content }, nowMs),
          created_at: now,
          updated_at: now,
        };
        await tx.insertInto("alert_rules").values(row).execute();
        return row;
      }).catch(taken),

    editRule: (projectId: string, id: string, decide: (row: AlertRuleRow) => RuleChange): Promise<AlertRuleRow> =>
      transaction(db, projectId, async (tx) => {
        const row = await findRule(tx, projectId, id);
        const { content, enabled, mutedUntil, startsAnew } = decide(row);
        const former = new Set(contentOf(row).destinationIds);
        await requireDestinations(
          tx,
          projectId,
          content.destinationIds.filter((each) => !former.has(each)),
        );
        const nowMs = Date.now();
        if (startsAnew || !enabled) await clearOpen(tx, row, nowMs);
        return tx
          .updateTable("alert_rules")
          .set({
            name: content.name,
            content: JSON.stringify(content),
            enabled: enabled ? 1 : 0,
            muted_until: mutedUntil,
            revision: row.revision + 1,
            ...((startsAnew || (enabled && row.enabled === 0)) && startOf(content, nowMs)),
            updated_at: new Date(nowMs).toISOString(),
          })
          .where("id", "=", id)
          .returningAll()
          .executeTakeFirstOrThrow();
      }).catch(taken),

    async deleteRule(projectId: string, id: string): Promise<void> {
      const { numDeletedRows } = await db
        .deleteFrom("alert_rules")
        .where("project_id", "=", projectId)
        .where("id", "=", id)
        .executeTakeFirst();
      if (numDeletedRows === 0n) throw notFound();
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

    listAlerts(
      projectId: string,
      { state, alertRuleId }: { state?: "open" | "cleared" | undefined; alertRuleId?: string | undefined },
      page: PageRequest,
    ): Promise<Page<AlertRow>> {
      let alerts = shownAlerts(projectId);
      if (state !== undefined) alerts = alerts.where("cleared_at", state === "open" ? "is" : "is not", null);
      if (alertRuleId !== undefined) alerts = alerts.where("rule_id", "=", alertRuleId);
      return readPage(alerts, page, "alerts.id");
    },

    getAlert: (projectId: string, id: string): Promise<AlertRow> =>
      shownAlerts(projectId).where("alerts.id", "=", id).executeTakeFirstOrThrow(notFound),

    async acknowledge(id: string, userId: string, note: string | null): Promise<void> {
      await db
        .updateTable("alerts")
        .set({ acknowledged_by: userId, acknowledged_at: new Date().toISOString(), note })
        .where("id", "=", id)
        .execute();
    },

    listDue: (nowMs: number) =>
      db
        .selectFrom("alert_rules")
        .innerJoin("projects", "projects.id", "project_id")
        .selectAll("alert_rules")
        .select("projects.number as project_number")
        .where("enabled", "=", 1)
        .where("next_ms", "<=", nowMs)
        .orderBy("next_ms")
        .execute(),

    async deleteClearedBefore(time: string): Promise<number> {
      const { numDeletedRows } = await db.deleteFrom("alerts").where("cleared_at", "<", time).executeTakeFirst();
      return Number(numDeletedRows);
    },

    async statesOf(ruleId: string): Promise<Map<string | null, AgentState>> {
      const rows = await db.selectFrom("alert_states").selectAll().where("rule_id", "=", ruleId).execute();
      return new Map(
        rows.map(({ agent, bad, good, alert_id, compared }) => [
          JSON.parse(agent) as string | null,
          { bad, good, isOpen: alert_id !== null, compared: JSON.parse(compared) as AgentState["compared"] },
        ]),
      );
    },

    /**
     * Stores the result of judging the rule's windows up to `toMs`: alerts with their events, and the states of the agents. Does nothing
     * when another process stored this result, or when the rule changed after it was read.
     */
    record: (rule: AlertRuleRow, toMs: number, agents: readonly JudgedAgent[]): Promise<void> =>
      transaction(db, rule.project_id, async (tx) => {
        const content = contentOf(rule);
        const { numUpdatedRows } = await tx
          .updateTable("alert_rules")
          .set({ evaluated_to_ms: toMs, next_ms: toMs + windowMsOf(content) + SETTLE_MS })
          .where("id", "=", rule.id)
          .where("revision", "=", rule.revision)
          .where("evaluated_to_ms", "=", rule.evaluated_to_ms)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return;
        for (const { agent, judged, state } of agents) {
          const key = { rule_id: rule.id, agent: JSON.stringify(agent) };
          const before = await tx
            .selectFrom("alert_states")
            .select("alert_id")
            .where("rule_id", "=", rule.id)
            .where("agent", "=", key.agent)
            .executeTakeFirst();
          let alertId = before?.alert_id ?? null;
          for (const window of judged) {
            if (window.action === "raise") alertId = await raise(tx, rule, content, agent, window);
            if (window.action === "clear" && alertId !== null) {
              await clear(tx, rule, alertId, window.startMs + windowMsOf(content), "recovered");
              alertId = null;
            }
          }
          const last = judged.at(-1);
          if (alertId !== null && last?.judged === "bad" && last.action === null) await remind(tx, rule, alertId, last);
          const compared = JSON.stringify(state.compared);
          const left = { bad: state.bad, good: state.good, alert_id: alertId, compared };
          await tx
            .insertInto("alert_states")
            .values({ ...key, ...left })
            .onConflict((conflict) => conflict.columns(["rule_id", "agent"]).doUpdateSet(left))
            .execute();
        }
      }),
  };
}

/** A rule starts at the last whole window, so its first judgement can report a problem that exists already. */
function startOf(content: AlertRuleContent, nowMs: number) {
  const windowMs = windowMsOf(content);
  const started = lastWindowEnd(content, nowMs) - windowMs;
  return { started_ms: started, evaluated_to_ms: started, next_ms: started + windowMs + SETTLE_MS };
}

const findRule = (db: Db, projectId: string, id: string): Promise<AlertRuleRow> =>
  db
    .selectFrom("alert_rules")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirstOrThrow(notFound);

const isMuted = ({ muted_until }: AlertRuleRow): boolean =>
  muted_until !== null && Date.parse(muted_until) > Date.now();

async function raise(
  tx: Db,
  rule: AlertRuleRow,
  content: AlertRuleContent,
  agent: string | null,
  { startMs, value, samples, limit, usual }: JudgedWindow,
): Promise<string> {
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
  await tell(tx, rule, row, "alert.raised", { alert: presentAlert(row) });
  return row.id;
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
  if (row !== undefined) await tell(tx, rule, row, "alert.cleared", { alert: presentAlert(row) });
}

/** Records a reminder of an alert whose last window was bad, when the rule's reminder is due and nobody has acknowledged the alert. */
async function remind(tx: Db, rule: AlertRuleRow, alertId: string, window: JudgedWindow): Promise<void> {
  const { startMs, value, samples } = window;
  const content = contentOf(rule);
  const endMs = startMs + windowMsOf(content);
  const row = await tx.selectFrom("alerts").selectAll().where("id", "=", alertId).executeTakeFirst();
  if (row === undefined || isMuted(rule) || !isReminded(content, row, endMs)) return;
  const endedAt = new Date(endMs).toISOString();
  await tx.updateTable("alerts").set({ reminded_at: endedAt }).where("id", "=", alertId).execute();
  await tell(tx, rule, row, "alert.reminded", { alert: presentAlert(row), latest: { endedAt, value, samples } });
}

/** Records an event of an alert for the destinations of its rule, unless the rule is muted. */
async function tell<Type extends "alert.raised" | "alert.cleared" | "alert.reminded">(
  tx: Db,
  rule: AlertRuleRow,
  { id: about, project_id, agent: agentName }: AlertRow,
  type: Type,
  data: EventData[Type],
): Promise<void> {
  if (isMuted(rule)) return;
  await recordEvent(tx, project_id, { type, about, agentName, data, destinationIds: contentOf(rule).destinationIds });
}

async function clearOpen(tx: Db, rule: AlertRuleRow, nowMs: number): Promise<void> {
  const open = await tx
    .selectFrom("alerts")
    .select("id")
    .where("rule_id", "=", rule.id)
    .where("cleared_at", "is", null)
    .orderBy("id")
    .execute();
  for (const { id } of open) await clear(tx, rule, id, nowMs, "rule_changed");
  await tx.deleteFrom("alert_states").where("rule_id", "=", rule.id).execute();
}
