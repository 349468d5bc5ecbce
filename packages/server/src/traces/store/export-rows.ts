import type { ColumnType, ExportSelection } from "./trace-store.ts";

type Columns = Readonly<Record<string, ColumnType>>;

/** Ids are hexadecimal, times are integers. */
export const EXPORT_ROWS = {
  spans: {
    trace_id: "VARCHAR",
    span_id: "VARCHAR",
    parent_span_id: "VARCHAR",
    conversation: "VARCHAR",
    name: "VARCHAR",
    status: "UTINYINT",
    start_ns: "BIGINT",
    end_ns: "BIGINT",
    received_ms: "BIGINT",
    agent: "VARCHAR",
    service: "VARCHAR",
  },
  conversations: {
    trace_id: "VARCHAR",
    trace_ids: "VARCHAR[]",
    conversation: "VARCHAR",
    source: "VARCHAR",
    agent: "VARCHAR",
    agent_version: "VARCHAR",
    channel: "VARCHAR",
    service: "VARCHAR",
    root_name: "VARCHAR",
    started_ns: "BIGINT",
    ended_ns: "BIGINT",
    received_last_ms: "BIGINT",
    spans: "INTEGER",
    errors: "INTEGER",
    turns: "UINTEGER",
    tool_calls: "UINTEGER",
    interruptions: "UINTEGER",
    latency_n: "UINTEGER",
    latency_mean: "DOUBLE",
    latency_p50: "DOUBLE",
    latency_p95: "DOUBLE",
    quality: "VARCHAR",
    transcript: "VARCHAR",
  },
  measures: {
    trace_id: "VARCHAR",
    source: "VARCHAR",
    agent: "VARCHAR",
    measure: "VARCHAR",
    at_ms: "BIGINT",
    value: "DOUBLE",
    provenance: "VARCHAR",
    turn: "UINTEGER",
  },
  tool_calls: {
    trace_id: "VARCHAR",
    source: "VARCHAR",
    agent: "VARCHAR",
    tool: "VARCHAR",
    at_ms: "BIGINT",
    is_error: "BOOLEAN",
  },
} as const satisfies Record<string, Columns>;

/** Maps the key of a conversation, which its samples and tool calls have, to the conversation's trace. */
export const READING_ROWS = { key: "VARCHAR", trace_id: "VARCHAR" } as const satisfies Columns;

export function itemColumns(table: "measures" | "tool_calls"): Columns {
  const { trace_id: _, ...columns } = EXPORT_ROWS[table];
  return { key: "VARCHAR", ...columns };
}

export type ExportLines =
  | { table: "spans" | "conversations"; lines: string }
  | { table: "measures" | "tool_calls"; lines: string; readings: string }
  | Extract<ExportSelection, { table: "lines" }>;

/** `spillFolder` is a new folder for rows that do not fit in memory. */
export type WriteParquet = (
  rows: ExportLines,
  options: { file: string; spillFolder: string; signal: AbortSignal },
) => Promise<void>;
