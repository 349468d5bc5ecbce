import { z } from "zod";
import { id, idInput, timestamp } from "../core/ids.ts";
import { writesProject } from "../core/access.ts";
import { LIMITS } from "../core/limits.ts";
import { count } from "../core/numbers.ts";
import { getOperation, listOperation } from "../core/resource-operations.ts";
import { projectId } from "../core/selection.ts";
import { textUpTo } from "../core/texts.ts";
import { ALERT_STATES, SEVERITIES } from "./alert-words.ts";

/** Conversation that raised an alert. */
export const AlertConversation = z
  .strictObject({
    traceId: z.string(),
    turn: count().nullable().meta({ description: "Index of the turn; null when no turn is known." }),
    value: z.number().nullable().meta({
      description:
        "For an alert about a measure, the conversation's worst sample, in the unit of the alert; null for other alerts.",
    }),
    link: z.url().meta({ description: "URL of the conversation's page, at the turn if it is known." }),
  })
  .meta({ id: "AlertConversation" });
export type AlertConversation = z.infer<typeof AlertConversation>;

/** Alert of an alert rule about one agent. An alert that was cleared never opens again; the rule raises a new alert instead. */
export const Alert = z
  .strictObject({
    id: id("alt"),
    projectId: id("prj"),
    alertRuleId: id("alr"),
    ruleName: z.string().meta({ description: "Name of the rule when the alert was raised." }),
    agentName: z.string().nullable().meta({ description: "Null for conversations without an agent name." }),
    severity: z.enum(SEVERITIES),
    state: z.enum(ALERT_STATES),
    windowStartedAt: timestamp().meta({ description: "Start of the time window that raised the alert." }),
    raisedAt: timestamp().meta({ description: "End of the time window that raised the alert." }),
    clearedAt: timestamp().nullable(),
    clearedBecause: z.enum(["recovered", "rule_changed"]).nullable(),
    value: z.number().nullable().meta({
      description: "The watched value in the window that raised the alert; null when the window had no sample.",
    }),
    interval: z.strictObject({ low: z.number().nullable(), high: z.number().nullable() }).nullable().meta({
      description:
        "The 95 percent confidence interval of the value: of a share by Wilson, of a percentile by the ranks of the samples, of a mean by Student. A bound is null when the samples are too few for it. Null for numbers of conversations or failures, and for an alert of an earlier version of the service.",
    }),
    samples: count(),
    condition: z
      .strictObject({ is: z.enum(["above", "below"]), value: z.number() })
      .meta({ description: "The limit that the value exceeded or fell below." }),
    usual: z.number().nullable().meta({
      description: "The median of the windows with which the window was compared; null for a rule with a fixed limit.",
    }),
    unit: z.string().meta({ description: "Unit of the value: ms, ratio, count, words/min, tokens, dBFS." }),
    what: z.string().meta({ description: "The watched quantity, in words.", example: "p95 of response latency" }),
    conversations: z
      .array(AlertConversation)
      .max(LIMITS.alertConversationsShown)
      .meta({
        description: `Conversations that raised the alert, worst first, at most ${LIMITS.alertConversationsShown}: those with a sample beyond the limit, with a failed call, with an error, with the ending, or that a grader failed. For a share below its limit: the conversations without these. Deleted conversations are left out. The list of conversations has all of them with \`alertId\`. An alert about import failures has none.`,
      }),
    acknowledgedBy: z.string().nullable().meta({ description: "Name of the person who acknowledged the alert." }),
    acknowledgedAt: timestamp().nullable(),
    note: z.string().nullable(),
  })
  .meta({ id: "Alert" });
export type Alert = z.infer<typeof Alert>;

/** Confidence interval of an alert's value. A bound is null if it is unknown. */
export type AlertInterval = NonNullable<Alert["interval"]>;

const one = {
  tag: "Alerts",
  path: "/v1/alerts/{alertId}",
  resource: "alert",
  params: z.strictObject({ alertId: idInput("alt") }),
  query: z.strictObject({ projectId }),
  answer: z.strictObject({ alert: Alert }),
} as const;

/** Alerts of a project. */
export const alerts = {
  /** Lists the project's alerts, newest first. */
  list: listOperation({
    tag: "Alerts",
    path: "/v1/alerts",
    summary: "List alerts",
    filters: {
      state: z.enum(ALERT_STATES).optional(),
      alertRuleId: idInput("alr").optional(),
    },
    items: { alerts: Alert },
  }),

  /** Returns an alert. */
  get: getOperation({ ...one, summary: "Show an alert" }),

  /** Stores who takes care of the alert, with an optional note. A later acknowledgement replaces the person and the note. */
  acknowledge: {
    ...writesProject,
    ...one,
    method: "POST",
    path: "/v1/alerts/{alertId}/acknowledge",
    summary: "Acknowledge an alert",
    body: z.strictObject({ note: textUpTo(LIMITS.behaviorCharacters).optional() }),
    status: 200,
  } as const,
};
