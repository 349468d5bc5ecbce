import type { AlertRuleContent } from "@svc/contract";
import type { FindProjects } from "../../access/projects.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { requireDestinations } from "../../stores/events.ts";
import { type Page, type PageRequest, readPage } from "../../stores/page.ts";
import { projectOfRow } from "../../stores/project-of-row.ts";
import { type Db, refuseTaken } from "../../stores/relational.ts";
import { transaction } from "../../stores/transaction.ts";
import {
  type AgentState,
  type AlertRuleRow,
  contentOf,
  type JudgedWindow,
  type LastWindow,
  type MutedAgent,
  NO_AGENTS,
  lastWindowEnd,
  SETTLE_MS,
} from "../rules.ts";
import { windowMsOf } from "../windows.ts";
import type { Raising } from "../raising.ts";
import type { AlertStore } from "./alerts.ts";

/** `raisedBy` has what is stored with an alert, by the start of its window. */
export type JudgedAgent = {
  agent: string | null;
  judged: readonly JudgedWindow[];
  state: AgentState;
  raisedBy: ReadonlyMap<number, Raising>;
};

export type RuleChange = {
  content: AlertRuleContent;
  enabled: boolean;
  mutedUntil: string | null;
  mutedAgents: readonly MutedAgent[];
  /** Whether the edit changes the watched value or the condition. The store then clears the rule's open alerts and deletes its states. */
  startsAnew: boolean;
};

export type AlertRuleStore = ReturnType<typeof createAlertRuleStore>;

export function createAlertRuleStore(db: Db, alerts: AlertStore) {
  const taken = refuseTaken("The project has an alert rule with this name. Choose another name.");
  const findProjects: FindProjects = (id) => projectOfRow(db, "alert_rules", id);

  return {
    findProjects,

    get: (projectId: string, id: string) => findRule(db, projectId, id),

    list: (projectId: string, page: PageRequest): Promise<Page<AlertRuleRow>> =>
      readPage(db.selectFrom("alert_rules").selectAll().where("project_id", "=", projectId), page),

    /** Creates a rule that judges the last whole window and all later windows. Throws when the project has `max` rules already. */
    create: (projectId: string, { name, ...content }: AlertRuleContent, max: number): Promise<AlertRuleRow> =>
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
          muted_agents: "[]",
          revision: 1,
          ...startOf({ name, ...content }, nowMs),
          created_at: now,
          updated_at: now,
        };
        await tx.insertInto("alert_rules").values(row).execute();
        return row;
      }).catch(taken),

    edit: (projectId: string, id: string, decide: (row: AlertRuleRow) => RuleChange): Promise<AlertRuleRow> =>
      transaction(db, projectId, async (tx) => {
        const row = await findRule(tx, projectId, id);
        const { content, enabled, mutedUntil, mutedAgents, startsAnew } = decide(row);
        const former = new Set(contentOf(row).destinationIds);
        await requireDestinations(
          tx,
          projectId,
          content.destinationIds.filter((each) => !former.has(each)),
        );
        const nowMs = Date.now();
        if (startsAnew || !enabled) {
          await alerts.clearOpen(tx, row, nowMs);
          await tx.deleteFrom("alert_states").where("rule_id", "=", id).execute();
        }
        return tx
          .updateTable("alert_rules")
          .set({
            name: content.name,
            content: JSON.stringify(content),
            enabled: enabled ? 1 : 0,
            muted_until: mutedUntil,
            muted_agents: JSON.stringify(mutedAgents),
            revision: row.revision + 1,
            ...((startsAnew || (enabled && row.enabled === 0)) && startOf(content, nowMs)),
            updated_at: new Date(nowMs).toISOString(),
          })
          .where("id", "=", id)
          .returningAll()
          .executeTakeFirstOrThrow();
      }).catch(taken),

    async delete(projectId: string, id: string): Promise<void> {
      const { numDeletedRows } = await db
        .deleteFrom("alert_rules")
        .where("project_id", "=", projectId)
        .where("id", "=", id)
        .executeTakeFirst();
      if (numDeletedRows === 0n) throw notFound();
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

    async lastWindows(ruleIds: readonly string[]): Promise<Map<string, LastWindow>> {
      if (ruleIds.length === 0) return new Map();
      const rows = await db
        .selectFrom("alert_states")
        .select(["rule_id", "judged"])
        .select(({ fn }) => fn.countAll<number>().as("agents"))
        .where("rule_id", "in", ruleIds)
        .groupBy(["rule_id", "judged"])
        .execute();
      const windows = new Map<string, LastWindow>();
      for (const { rule_id, judged, agents } of rows) {
        if (judged === null) continue;
        windows.set(rule_id, { ...NO_AGENTS, ...windows.get(rule_id), [COUNT_OF[judged]]: Number(agents) });
      }
      return windows;
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
     * when another process stored this result, or when the rule changed after it was read. `isDeleted` returns whether a conversation was
     * deleted in the meantime.
     */
    record: (
      rule: AlertRuleRow,
      toMs: number,
      agents: readonly JudgedAgent[],
      isDeleted: (traceId: string) => boolean,
    ): Promise<void> =>
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
        for (const { agent, judged, state, raisedBy } of agents) {
          const key = { rule_id: rule.id, agent: JSON.stringify(agent) };
          const before = await tx
            .selectFrom("alert_states")
            .select("alert_id")
            .where("rule_id", "=", rule.id)
            .where("agent", "=", key.agent)
            .executeTakeFirst();
          let alertId = before?.alert_id ?? null;
          for (const window of judged) {
            if (window.action === "raise") {
              const { conversations, interval } = raisedBy.get(window.startMs)!;
              const left = conversations.filter(({ traceId }) => !isDeleted(traceId));
              alertId = await alerts.raise(tx, rule, agent, window, { conversations: left, interval });
            }
            if (window.action === "clear" && alertId !== null) {
              await alerts.clear(tx, rule, alertId, window.startMs + windowMsOf(content), "recovered");
              alertId = null;
            }
          }
          const last = judged.at(-1);
          if (alertId !== null && last?.judged === "bad" && last.action === null)
            await alerts.remind(tx, rule, alertId, last);
          const compared = JSON.stringify(state.compared);
          const left = { bad: state.bad, good: state.good, alert_id: alertId, compared, judged: last?.judged ?? null };
          await tx
            .insertInto("alert_states")
            .values({ ...key, ...left })
            .onConflict((conflict) => conflict.columns(["rule_id", "agent"]).doUpdateSet(left))
            .execute();
        }
      }),
  };
}

const COUNT_OF = { good: "good", bad: "bad", too_few: "tooFew", no_data: "noData" } as const;

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
