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
