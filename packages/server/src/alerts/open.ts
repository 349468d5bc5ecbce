import { type AlertRuleContent, LIMITS, type operations } from "@svc/contract";
import type { z } from "zod";
import type { ServiceContext } from "../context.ts";
import { AppError } from "../base/errors.ts";
import type { Routes } from "../http/operation.ts";
import { pageRequest } from "../stores/page.ts";
import { tooManyPoints } from "../traces/metrics/metric-rules.ts";
import { startRetention } from "../traces/erasure/retention.ts";
import type { Traces } from "../traces/open.ts";
import { createWitnessRow } from "../traces/store/clock-witness-row.ts";
import { DAY_MS } from "../traces/store/day.ts";
import { startEvaluation } from "./evaluate.ts";
import {
  type AlertRuleRow,
  contentOf,
  judgedAgents,
  judgeWindows,
  lastWindowEnd,
  mutedAgentsOf,
  NEW_STATE,
  NO_AGENTS,
  presentAlertRule,
  presentSeries,
} from "./rules.ts";
import type { RaisingSources } from "./raising.ts";
import { type AlertStore, createAlertStore } from "./store/alerts.ts";
import { createAlertTexts } from "./store/conversations.ts";
import { type AlertRuleStore, createAlertRuleStore, type RuleChange } from "./store/rule-records.ts";
import { readWatched, type Watching } from "./watched.ts";
import { windowMsOf } from "./windows.ts";

const EVERY_MS = 10_000;
const PREVIEWED_WINDOWS_MAX = 9_000;

export function openAlerts(
  { db, log, serviceUrl }: Pick<ServiceContext, "db" | "log" | "serviceUrl">,
  { intake, deleted, ...watching }: Pick<Traces, "intake" | "deleted"> & Watching & RaisingSources,
  everyMs = EVERY_MS,
) {
  const alerts = createAlertStore(db, serviceUrl);
  const rules = createAlertRuleStore(db, alerts);
  const evaluation = startEvaluation({
    watching,
    store: rules,
    isIncomplete: intake.isCatchingUp,
    isDeleted: deleted.isDeleted,
    log,
    everyMs,
  });
  const closing = new AbortController();
  startRetention({
    what: "cleared alerts",
    tellsHolds: false,
    witness: createWitnessRow(db, "alerts"),
    listRetentions: async () => [{ project: null, days: LIMITS.clearedAlertDays }],
    eraseBefore: (day) => alerts.deleteClearedBefore(new Date(day * DAY_MS).toISOString()),
    log,
    signal: closing.signal,
  });
  return {
    projectsOf: { alertRule: rules.findProjects, alert: alerts.findProjects },
    routes: alertRoutes(rules, alerts, watching, evaluation.wake),
    texts: createAlertTexts(db),
    traceIdsOf: alerts.traceIds,
    async close(): Promise<void> {
      closing.abort();
      await evaluation.close();
    },
  };
}

function alertRoutes(
  store: AlertRuleStore,
  alerts: AlertStore,
  watching: Watching,
  wake: () => void,
): Routes<"alertRules" | "alerts"> {
  async function presentRules(rows: readonly AlertRuleRow[]) {
    const ids = rows.map(({ id }) => id);
    const [open, windows] = [await alerts.countOpen(ids), await store.lastWindows(ids)];
    return rows.map((row) =>
      presentAlertRule(row, {
        openAlerts: open.get(row.id) ?? 0,
        lastWindow: windows.get(row.id) ?? NO_AGENTS,
        nowMs: Date.now(),
      }),
    );
  }
  const presentRule = async (row: AlertRuleRow) => ({ alertRule: (await presentRules([row]))[0]! });

  return {
    alertRules: {
      list: async ({ project, query }) => {
        const page = await store.list(project.id, pageRequest("alr", query.pageSize, query.pageToken));
        return { alertRules: await presentRules(page.items), nextPageToken: page.next };
      },

      create: async ({ project, body }) => {
        requireWatchable(body);
        const row = await store.create(project.id, body, LIMITS.alertRules);
        wake();
        return presentRule(row);
      },

      get: async ({ project, params }) => presentRule(await store.get(project.id, params.alertRuleId)),

      edit: async ({ project, params, body }) => {
        const row = await store.edit(project.id, params.alertRuleId, (current) => decideEdit(current, body));
        wake();
        return presentRule(row);
      },

      delete: async ({ project, params }) => store.delete(project.id, params.alertRuleId),

      preview: async ({ project, body: { days, ...content } }) => {
        requireWatchable(content);
        const windowMs = windowMsOf(content);
        const toMs = lastWindowEnd(content, Date.now());
        const windows = Math.min(Math.ceil((days * DAY_MS) / windowMs), PREVIEWED_WINDOWS_MAX);
        const fromMs = Math.max(0, toMs - windows * windowMs);
        const found = await readWatched(watching, project, content, { fromMs, toMs });
        if (found === null) throw tooManyPoints();
        const series = judgedAgents(content, found, new Set(), fromMs).map((each) => {
          const { judged } = judgeWindows(content, NEW_STATE, each, { fromMs: each.fromMs, toMs });
          return presentSeries(content, each.agent, judged);
        });
        return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString(), series };
      },
    },

    alerts: {
      list: async ({ project, query: { pageSize, pageToken, state, alertRuleId } }) => {
        const page = await alerts.list(project.id, { state, alertRuleId }, pageRequest("alt", pageSize, pageToken));
        return { alerts: page.items, nextPageToken: page.next };
      },

      get: async ({ project, params }) => ({ alert: await alerts.get(project.id, params.alertId) }),

      acknowledge: async ({ caller, project, params, body }) => {
        const { id } = await alerts.get(project.id, params.alertId);
        await alerts.acknowledge(id, caller.userId, body.note ?? null);
        return { alert: await alerts.get(project.id, id) };
      },
    },
  };
}

/**
 * Throws `unprocessable` when a rule watches something that is unknown for its source, its versions or its channels, and when windows longer than an hour
 * are compared with the same hours. Graders can be watched in production only, because a run shows the failures of its graders.
 */
function requireWatchable({
  watch,
  source,
  agentVersions,
  channels,
  condition,
  windowMinutes,
}: Omit<AlertRuleContent, "name">): void {
  if (watch.kind === "grader_failures" && source !== "production")
    throw new AppError(
      "unprocessable",
      "Failures of graders are watched in production only. Send `source: production`.",
    );
  if (watch.kind === "endings" && source !== "production")
    throw new AppError("unprocessable", "Platforms report endings in production only. Send `source: production`.");
  const isSelected = agentVersions.length > 0 || channels.length > 0;
  if (watch.kind === "import_failures" && (source !== "production" || isSelected))
    throw new AppError(
      "unprocessable",
      "Failures of imports are of production, and their versions and channels are not known. Send `source: production`, no `agentVersions` and no `channels`.",
    );
  if ("usual" in condition && condition.usual === "same_hours" && windowMinutes > 60)
    throw new AppError(
      "unprocessable",
      "Only windows of at most an hour are compared with the same hours. Send `windowMinutes: 60`, or `usual: windows_before`.",
    );
}

type EditBody = z.output<(typeof operations.alertRules.edit)["body"]>;

/**
 * Members whose change leaves the rule's state and open alerts unchanged, because they change neither the watched value nor the condition.
 */
const KEPT = new Set<keyof AlertRuleContent>(["name", "severity", "destinationIds", "remindAfterMinutes"]);

function decideEdit(row: AlertRuleRow, { enabled, mutedUntil, mutedAgents, ...members }: EditBody): RuleChange {
  const before = contentOf(row);
  const given = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
  const content = { ...before, ...given } as AlertRuleContent;
  if (mutedUntil != null && Number.isNaN(Date.parse(mutedUntil)))
    throw new AppError("unprocessable", "Send a time in `mutedUntil`.");
  if (mutedAgents?.some(({ until }) => Number.isNaN(Date.parse(until))))
    throw new AppError("unprocessable", "Send a time in each `until`.");
  requireWatchable(content);
  const names = Object.keys(content) as (keyof AlertRuleContent)[];
  return {
    content,
    enabled: enabled ?? row.enabled === 1,
    mutedUntil: mutedUntil === undefined ? row.muted_until : mutedUntil && new Date(mutedUntil).toISOString(),
    mutedAgents:
      mutedAgents?.map(({ agentName, until }) => ({ agentName, until: new Date(until).toISOString() })) ??
      mutedAgentsOf(row, Date.now()),
    startsAnew: names.some((name) => !KEPT.has(name) && JSON.stringify(content[name]) !== JSON.stringify(before[name])),
  };
}
