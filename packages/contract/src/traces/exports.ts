import { z } from "zod";
import { getOperation } from "../core/resource-operations.ts";
import { projectId } from "../core/selection.ts";

/** Columns of the exported tables, with their meanings. A value that is unknown is null. */
export const EXPORT_COLUMNS = {
  spans: {
    trace_id: "32 hexadecimal characters",
    span_id: "16 hexadecimal characters",
    parent_span_id: "16 hexadecimal characters; null for a span without a parent",
    conversation: "the name of the conversation in the span's own attributes",
    name: "the span's name",
    status: "`unset`, `ok` or `error`",
    started_at: "start of the span, UTC",
    ended_at: "end of the span, UTC; null while it is open",
    received_at: "receipt of the span, UTC; the day of a file is the day of receipt",
    agent: "the agent that the span names",
    service: "the service that the span names",
  },
  conversations: {
    trace_id: "the id of the conversation's earliest trace, which identifies the conversation in the API",
    trace_ids: "the ids of all traces of the conversation, earliest first",
    conversation:
      "the conversation's name: the value of the attribute that identifies it, such as a session id; null for a single trace without such an attribute",
    source: "`production` or `simulation`",
    agent: "the agent's name",
    agent_version: "the agent's version; null when it is unknown",
    channel: "`telephone`, `room` or `text`; null when it is unknown",
    service: "the service's name",
    root_name: "the name of the earliest span without a parent",
    started_at: "start of the earliest span, UTC",
    ended_at: "end of the last span, UTC; null while a span is open",
    received_at: "receipt of the last span, UTC",
    spans: "number of spans",
    errors: "number of spans with the status `error`",
    turns: "number of turns",
    tool_calls: "number of tool calls",
    interruptions: "number of times that the user cut the agent short",
    latency_n: "number of response latencies",
    latency_mean_ms: "mean response latency",
    latency_p50_ms: "median response latency; null for too few values",
    latency_p95_ms: "95th percentile of the response latency; null for too few values",
    quality: "topics of the notes on data quality, separated by spaces",
    transcript: "the words of the conversation as text for searches, in lower case",
  },
  measures: {
    trace_id: "the conversation's `trace_id`",
    source: "`production` or `simulation`",
    agent: "the agent's name",
    measure: "the measure's name, as in `/v1/metrics`",
    at: "start of the turn or the call, UTC",
    value: "the value, in the unit of the measure",
    provenance: "source of the value, as in a conversation's measures",
    turn: "position of the turn in the transcript",
  },
  tool_calls: {
    trace_id: "the conversation's `trace_id`",
    source: "`production` or `simulation`",
    agent: "the agent's name",
    tool: "the tool's name",
    at: "start of the call, UTC",
    is_error: "whether the call failed",
  },
  grades: {
    id: "the grade's id",
    source: "`production` or `simulation`",
    conversation: "the name of the production conversation, or the simulation's id",
    run_id: "the id of the simulation's run",
    grader_id: "the grader's id",
    grader_version_id: "the id of the grader's version",
    grader_name: "the grader's name at that time",
    criterion: "the expected behavior, or the grader's criterion",
    decided_by: "`check`, `judge`, `built_in`, `veto` or `none`",
    verdict: "`passed`, `failed`, `inconclusive`, `not_graded` or `errored`",
    reason: "the reason of the verdict",
    counts: "whether the verdict of the simulation depends on the grade",
    graded_at: "time of the grading, UTC",
  },
  labels: {
    grade_id: "the id of the labeled grade",
    grader_id: "the grader's id",
    grader_version_id: "the id of the grader's version",
    graded: "the verdict of the grade",
    verdict: "the verdict of the person: `passed`, `failed` or `unsure`",
    note: "the person's note; null without a note",
    labeled_by: "the name of the person",
    labeled_at: "time of the label, UTC",
  },
  alert_rules: {
    id: "the rule's id",
    name: "the rule's name",
    enabled: "whether the service evaluates the rule",
    muted_until: "end of the rule's mute, UTC; null for a rule that was never muted",
    content:
      "what the rule watches and when it raises an alert, as JSON: the members that `POST /v1/alert-rules` accepts",
    created_at: "time at which the rule was created, UTC",
    updated_at: "time of the rule's last change, UTC",
  },
  alerts: {
    id: "the alert's id",
    alert_rule_id: "the rule's id",
    rule_name: "name of the rule when the alert was raised",
    agent: "the agent's name; null for conversations without an agent name",
    severity: "severity of the rule when the alert was raised",
    window_started_at: "start of the time window that raised the alert, UTC",
    raised_at: "end of the time window that raised the alert, UTC",
    cleared_at: "time at which the alert was cleared, UTC; null for an open alert",
    cleared_because: "`recovered` or `rule_changed`; null for an open alert",
    value: "the watched value in the window; null when the window had no sample",
    interval_low: "lower bound of the value's 95 percent confidence interval; null when it is unknown",
    interval_high: "upper bound of the value's 95 percent confidence interval; null when it is unknown",
    samples: "number of samples in the window",
    condition_is: "`above` or `below`",
    condition_value: "the limit that the value exceeded or fell below",
    usual: "median of the windows with which the window was compared; null for a rule with a fixed limit",
    unit: "unit of the value",
    what: "the watched quantity, in words",
    acknowledged_by: "name of the person who acknowledged the alert; null if nobody did",
    acknowledged_at: "time of the acknowledgement, UTC",
    note: "the person's note; null without a note",
  },
  alert_conversations: {
    alert_id: "the alert's id",
    place: "place among the conversations that raised the alert; 0 is the worst",
    trace_id: "the conversation's `trace_id`",
    turn: "position of the turn in the transcript; null when no turn is known",
    value: "the worst sample of the conversation, for an alert about a measure; null for another alert",
  },
  events: {
    id: "the event's id",
    type: "the event's type, as in `GET /v1/events`",
    at: "time of the event, UTC",
    data: "the resource as it was at the time of the event, as JSON",
  },
  failure_groups: {
    id: "the group's id",
    what: "what failed, as JSON: the member `what` of `GET /v1/groups`",
    what_text: "what failed, in words",
    title: "the most typical failing turn, cut short; null when the failing turns are not known",
    words: "words that the failing turns have in common, the most frequent first",
    joined_by_meaning: "number of failures that are in the group only because their turns mean the same",
    state: "`open`, `resolved` or `ignored`",
    size: "number of failures",
    first_seen_at: "start of the first conversation of the group, UTC",
    last_seen_at: "start of the last conversation of the group, UTC",
    resolved_at: "time at which a person last resolved the group, UTC; null if never",
    resolved_by: "name of the person who last resolved the group; null if nobody did",
    resolved_except_versions: "versions of the agents whose failures do not open the group again",
    regressed_at: "start of the first conversation that opened the group again, UTC; null without one",
  },
  failures: {
    group_id: "the id of the failure group",
    source: "`production` or `simulation`",
    trace_id: "the conversation's `trace_id`; null when it is unknown",
    run_id: "the id of the simulation's run; null in production",
    simulation_id: "the simulation's id; null in production",
    agent: "the agent's name; null when it is unknown",
    agent_version: "the agent's version; null when it is unknown, and for simulations",
    turn: "position of the failing turn in the transcript; null when no turn is known to fail",
    quote: "the failing turn, cut short; null when its words are unknown",
    started_at: "start of the conversation, UTC",
  },
} as const satisfies Record<string, Record<string, string>>;

/** Name of an exported table. */
export type ExportTable = keyof typeof EXPORT_COLUMNS;

const columnsAsText = Object.entries(EXPORT_COLUMNS)
  .map(([table, columns]) => {
    const lines = Object.entries(columns).map(([name, meaning]) => `  - \`${name}\`: ${meaning}`);
    return `- \`${table}\`\n${lines.join("\n")}`;
  })
  .join("\n");

/** File of an export. Spans have one file per day; every other table has one file. */
export const ExportFile = z
  .strictObject({
    name: z.string().meta({ description: "Name of the file for `/v1/exports/file`." }),
    table: z.enum(Object.keys(EXPORT_COLUMNS) as [ExportTable, ...ExportTable[]]),
    day: z.iso.date().nullable().meta({
      description: "The day (UTC) on which the spans of the file arrived; null for a file of another table.",
    }),
  })
  .meta({ id: "ExportFile", description: "A Parquet file that the service can write." });
export type ExportFile = z.infer<typeof ExportFile>;

/** Exports of a project's data as Parquet files. */
export const parquetExports = {
  /** Returns the files of an export of the project: one for each day with spans, and one for each other table. */
  list: getOperation({
    path: "/v1/exports",
    summary: "List the files of an export",
    tag: "Traces",
    query: z.strictObject({ projectId }),
    answer: z.strictObject({ files: z.array(ExportFile) }),
  }),

  /**
   * Returns one file of an export as a stream of Parquet bytes. A conversation appears in the file about a second after the service
   * acknowledged the spans of the conversation.
   */
  file: getOperation({
    path: "/v1/exports/file",
    audit: "read",
    summary: "Export a table as Parquet",
    description: `The columns of the tables:\n\n${columnsAsText}`,
    tag: "Traces",
    query: z.strictObject({
      projectId,
      name: z.string().min(1).meta({ description: "Name of a file, such as `conversations` or `spans-2026-11-22`." }),
    }),
    answer: "parquet",
  }),
};
