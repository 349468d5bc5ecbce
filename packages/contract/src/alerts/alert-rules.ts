import { z } from "zod";
import { id, idInput, timestamp } from "../core/ids.ts";
import { readsProject } from "../core/access.ts";
import { LIMITS } from "../core/limits.ts";
import { count } from "../core/numbers.ts";
import {
  createOperation,
  deleteOperation,
  editOperation,
  getOperation,
  listOperation,
} from "../core/resource-operations.ts";
import { projectId } from "../core/selection.ts";
import { nameText, textUpTo } from "../core/texts.ts";
import { agentVersion } from "../traces/agent-version-filter.ts";
import { severalChannels } from "../traces/channel-filter.ts";
import { MEASURE_NAMES } from "../traces/measures.ts";
import { reportedEnding } from "../traces/reported-ending.ts";
import {
  ALERT_RULE_STATES,
  type AlertRuleState,
  ALERT_WINDOWS_MINUTES,
  CONFIDENCES,
  type Occurrence,
  OCCURRENCES,
  SEVERITIES,
  type Usual,
  USUAL_MEANINGS,
  WATCHED_STATISTICS,
} from "./alert-words.ts";

const OCCURRED = Object.keys(OCCURRENCES) as [Occurrence, ...Occurrence[]];
const STATES = Object.keys(ALERT_RULE_STATES) as [AlertRuleState, ...AlertRuleState[]];

const watch = z
  .discriminatedUnion("kind", [
    z.strictObject({
      kind: z.literal("measure"),
      measure: z.enum(MEASURE_NAMES),
      statistic: z.enum(WATCHED_STATISTICS),
    }),
    z.strictObject({ kind: z.literal("errors") }),
    z.strictObject({
      kind: z.literal("tool_errors"),
      tool: textUpTo(LIMITS.nameCharacters).nullable().meta({ description: "Name of the tool; null for all tools." }),
    }),
    z.strictObject({
      kind: z.literal("grader_failures"),
      grader: textUpTo(LIMITS.nameCharacters)
        .nullable()
        .meta({ description: "Name of the grader; null for every grader that counts." }),
    }),
    z.strictObject({
      kind: z.literal("endings"),
      ending: reportedEnding("Ending that the platform reports, such as `voicemail_reached`."),
    }),
    z.strictObject({ kind: z.literal("occurrences"), measure: z.enum(OCCURRED) }),
    z.strictObject({ kind: z.literal("conversations") }),
    z.strictObject({ kind: z.literal("import_failures") }),
  ])
  .meta({
    description:
      "What the rule watches. `measure`: a statistic of a measure. `errors`: the share of conversations with an error. `tool_errors`: the share of failed calls among the tool calls of which it is known whether they failed. `grader_failures`: the share of production conversations with a grade `failed`, among those with a grade `passed` or `failed`. A conversation counts in the window in which it was graded. `endings`: the share of conversations with this ending, among those whose platform reports one. `occurrences`: the share of conversations in which the counted thing happens at least once, among those of which this is known. A conversation counts in each window in which it has a turn that can count. `conversations`: the number of conversations. `import_failures`: the number of import failures that are open at the end of the window; the agents are those of the platform.",
  });

const members = {
  name: nameText(),
  watch,
  agents: z.array(textUpTo(LIMITS.nameCharacters)).max(LIMITS.agentsOfFilter).meta({
    description: "Names of agents. Each agent has its own alert. Empty: every agent that has conversations.",
  }),
  agentVersions: z.array(agentVersion).max(LIMITS.agentsOfFilter).meta({
    description:
      "Versions of the agents. Only conversations of these versions count, and only grades that were given to these versions. Empty: all conversations, including those whose version is unknown.",
  }),
  channels: severalChannels.meta({
    description:
      "Channels of the conversations. Only conversations over these channels count. Empty: all conversations, including those whose channel is unknown.",
  }),
  source: z.enum(["production", "simulation"]),
  windowMinutes: z.literal([...ALERT_WINDOWS_MINUTES]).meta({
    description:
      "Length of a window. A window begins at a whole multiple of its length in UTC, and it is judged one minute after its end.",
    override: { type: "integer", enum: [...ALERT_WINDOWS_MINUTES] },
  }),
  condition: z
    .union([
      z.strictObject({
        is: z.enum(["above", "below"]),
        value: z
          .number()
          .min(-1e9)
          .max(1e9)
          .meta({ description: "In the unit of what is watched; a share from 0 to 1." }),
      }),
      z.strictObject({
        is: z.enum(["above", "below"]),
        usual: z.enum(Object.keys(USUAL_MEANINGS) as Usual[]).meta({
          description:
            "What a window is compared with. `windows_before`: the 24 windows before. `same_hours`: the windows within two hours of the same time, on the same day of the last four weeks; for windows of at most an hour.",
        }),
        confidence: z.literal([...CONFIDENCES]).meta({
          description: "How sure the rule must be that the window differs by more than chance.",
          override: { type: "number", enum: [...CONFIDENCES] },
        }),
      }),
    ])
    .meta({
      description:
        "When a window is bad: its value is beyond `value`, or beyond what earlier windows of the agent make likely. Fewer than 8 earlier windows with enough samples make it neither good nor bad.",
    }),
  minSamples: z
    .int()
    .min(1)
    .max(100_000)
    .meta({
      description:
        "A window with fewer samples raises nothing and clears nothing: turns, calls or conversations, as the watched thing counts them. For `conversations` and `import_failures` it has no effect.",
      override: { type: "integer", minimum: 1, maximum: 100_000 },
    }),
  windowsInRow: z
    .int()
    .min(1)
    .max(20)
    .meta({
      description: "This many windows in a row must be bad to raise an alert, and good to clear it.",
      override: { type: "integer", minimum: 1, maximum: 20 },
    }),
  noData: z.enum(["ok", "keep", "alert"]).meta({
    description: "What a window without any sample is: good (`ok`), nothing (`keep`), or bad (`alert`).",
  }),
  severity: z.enum(SEVERITIES),
  destinationIds: z.array(idInput("dst")).max(LIMITS.destinations).meta({
    description:
      "Destinations that get its alerts, whatever types of events and agents they choose. Empty, or when all of them are deleted: those that choose `alert.raised` and `alert.cleared`.",
  }),
  remindAfterMinutes: z
    .int()
    .min(5)
    .max(10_080)
    .nullable()
    .meta({
      description:
        "Minutes after which an alert tells again, as often as they pass, until it is cleared or acknowledged. Null: it tells once.",
      override: { type: ["integer", "null"], minimum: 5, maximum: 10_080 },
    }),
};

/**
 * Content of an alert rule: the watched value, the conversations, the condition of an alert, and the destinations that receive
 * alerts.
 */
export const AlertRuleContent = z.strictObject(members);
export type AlertRuleContent = z.infer<typeof AlertRuleContent>;

/** Stored alert rule. */
export const AlertRule = z
  .strictObject({
    id: id("alr"),
    projectId: id("prj"),
    ...members,
    enabled: z.boolean(),
    mutedUntil: timestamp()
      .nullable()
      .meta({ description: "Until this time, alerts of the rule are recorded, and no destination gets them." }),
    mutedAgents: z.array(z.strictObject({ agentName: z.string().nullable(), until: timestamp() })).meta({
      description:
        "Muted agents: until a time, their alerts are recorded, and no destination gets them. Null is the agent of conversations without an agent name.",
    }),
    state: z.enum(STATES).meta({
      description: STATES.map((state) => `\`${state}\`: ${ALERT_RULE_STATES[state]}`).join(" "),
    }),
    lastWindow: z.strictObject({ good: count(), bad: count(), tooFew: count(), noData: count() }).nullable().meta({
      description: "For how many agents the last window was good, bad, or could not be judged; null before it.",
    }),
    evaluatedTo: timestamp()
      .nullable()
      .meta({ description: "End of the last window that was judged; null before it." }),
    openAlerts: count("Alerts that are raised and not cleared."),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({ id: "AlertRule" });
export type AlertRule = z.infer<typeof AlertRule>;

/** Window of an alert rule in a preview: its value, its limit, and the rule's judgment. */
export const AlertWindow = z
  .strictObject({
    startedAt: timestamp(),
    endedAt: timestamp(),
    value: z.number().nullable().meta({
      description:
        "Null without a sample, and for a percentile of too few samples (5 for p50, 10 for p90, 20 for p95).",
    }),
    samples: count(),
    limit: z
      .number()
      .nullable()
      .meta({ description: "The limit of this window; null when too few earlier windows are known to have one." }),
    usual: z.number().nullable().meta({
      description: "The median of the windows that it was compared with; null for a fixed limit.",
    }),
    judged: z.enum(["good", "bad", "too_few", "no_data"]),
  })
  .meta({ id: "AlertWindow" });
export type AlertWindow = z.infer<typeof AlertWindow>;

/** Preview of an alert rule for one agent: the windows, and the alerts that the rule would have raised. */
export const AlertSeries = z
  .strictObject({
    agentName: z.string().nullable(),
    windows: z.array(AlertWindow),
    alerts: z.array(
      z.strictObject({
        raisedAt: timestamp().meta({ description: "End of the window that raised it." }),
        clearedAt: timestamp().nullable(),
        value: z.number().nullable(),
        samples: count(),
      }),
    ),
  })
  .meta({ id: "AlertSeries" });
export type AlertSeries = z.infer<typeof AlertSeries>;

const all = {
  tag: "Alerts",
  path: "/v1/alert-rules",
  query: z.strictObject({ projectId }),
  answer: z.strictObject({ alertRule: AlertRule }),
} as const;
const one = {
  ...all,
  path: "/v1/alert-rules/{alertRuleId}",
  resource: "alertRule",
  params: z.strictObject({ alertRuleId: idInput("alr") }),
} as const;

const defaulted = z.strictObject({
  ...members,
  agents: members.agents.default([]),
  agentVersions: members.agentVersions.default([]),
  channels: members.channels.default([]),
  source: members.source.default("production"),
  minSamples: members.minSamples.default(20),
  windowsInRow: members.windowsInRow.default(1),
  noData: members.noData.default("keep"),
  severity: members.severity.default("warning"),
  destinationIds: members.destinationIds.default([]),
  remindAfterMinutes: members.remindAfterMinutes.default(null),
});

/** Alert rules of a project. */
export const alertRules = {
  /** Lists the project's alert rules, newest first. */
  list: listOperation({ ...all, summary: "List alert rules", items: { alertRules: AlertRule } }),

  /** Creates an alert rule. The service judges the last complete window at once, and each later window when the window ends. */
  create: createOperation({
    ...all,
    summary: "Create an alert rule",
    description: "It judges the last whole window at once, and then each window that ends.",
    body: defaulted,
    errors: ["name_taken", "unprocessable"],
  }),

  /** Returns an alert rule. */
  get: getOperation({ ...one, summary: "Show an alert rule" }),

  /**
   * Changes the given fields of a rule. Clears the open alerts of the rule when the watched value or the condition of an alert
   * changes.
   */
  edit: editOperation({
    ...one,
    summary: "Edit an alert rule",
    description:
      "Changes the given fields. A change of what it watches, or of when it raises an alert, clears its open alerts and starts anew. `mutedUntil: null` ends a mute.",
    body: AlertRuleContent.partial().extend({
      enabled: z.boolean().optional(),
      mutedUntil: z.iso.datetime({ offset: true }).nullable().optional().meta({
        description:
          "Until this time, alerts of the rule are recorded, and no destination gets them. Null ends the mute.",
      }),
      mutedAgents: z
        .array(
          z.strictObject({
            agentName: textUpTo(LIMITS.nameCharacters).nullable(),
            until: z.iso.datetime({ offset: true }),
          }),
        )
        .max(LIMITS.mutedAgents)
        .optional()
        .meta({ description: "All agents that are muted from now on, each until a time. Empty: none." }),
    }),
    errors: ["name_taken", "unprocessable"],
  }),

  /** Deletes an alert rule with its alerts. */
  delete: deleteOperation({ ...one, summary: "Delete an alert rule" }),

  /**
   * Returns the windows of the last days, and the alerts that the rule would have raised from them. The same code as for stored
   * rules computes the windows and the alerts. Stores nothing.
   */
  preview: {
    ...readsProject,
    ...all,
    method: "POST",
    path: "/v1/alert-rules/preview",
    summary: "Preview an alert rule",
    description:
      "Returns the windows of the last days for each agent, and every alert that the rule would have raised, by the code that also judges it later. The answer has at most 9,000 windows for each agent; with short windows it covers fewer days.",
    audit: { leftOut: "It changes nothing. Pages ask for it at every key press." },
    body: defaulted.extend({
      name: members.name.default("Preview"),
      days: z.int().min(1).max(60).default(30),
    }),
    status: 200,
    answer: z.strictObject({ from: timestamp(), to: timestamp(), series: z.array(AlertSeries) }),
    errors: ["unprocessable"],
  } as const,
};
