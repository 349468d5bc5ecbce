import { EXPORT_ROWS, type ExportLines, itemColumns, READING_ROWS } from "../export-rows.ts";
import type { ColumnType } from "../trace-store.ts";

export const copyStatement = (query: string, file: string) =>
  `COPY (${query}) TO ${text(file)} (FORMAT parquet, COMPRESSION zstd)`;

const text = (value: string) => `'${value.replaceAll("'", "''")}'`;

const time = (column: string, unit: "ns" | "ms") => `make_timestamp_${unit}(${column})`;

/** `rows` is a query for rows with the columns of `EXPORT_ROWS`. */
export const EXPORT_QUERIES: Record<keyof typeof EXPORT_ROWS, (rows: string) => string> = {
  spans: (rows) => `
    SELECT trace_id, span_id, parent_span_id, conversation, name,
      CASE status WHEN 1 THEN 'ok' WHEN 2 THEN 'error' ELSE 'unset' END AS status, ${time("start_ns", "ns")} AS started_at,
      ${time("end_ns", "ns")} AS ended_at, ${time("received_ms", "ms")} AS received_at, agent, service
    FROM (${rows})`,
  conversations: (rows) => `
    SELECT trace_id, trace_ids, conversation, source, agent, agent_version, channel, service, root_name, ${time("started_ns", "ns")} AS started_at,
      ${time("ended_ns", "ns")} AS ended_at, ${time("received_last_ms", "ms")} AS received_at, spans, errors, turns,
      tool_calls, interruptions, latency_n, latency_mean AS latency_mean_ms, latency_p50 AS latency_p50_ms,
      latency_p95 AS latency_p95_ms, quality, transcript
    FROM (${rows})`,
  measures: (rows) => `
    SELECT trace_id, source, agent, measure, ${time("at_ms", "ms")} AS at, value, provenance, turn
    FROM (${rows})`,
  tool_calls: (rows) => `
    SELECT trace_id, source, agent, tool, ${time("at_ms", "ms")} AS at, is_error
    FROM (${rows})`,
};

/** The query does not sort, because a sort would need all rows in memory. */
export function queryOfLines(rows: ExportLines): string {
  switch (rows.table) {
    case "lines":
      return linesIn(rows.lines, rows.columns);
    case "spans":
    case "conversations":
      return EXPORT_QUERIES[rows.table](linesIn(rows.lines, EXPORT_ROWS[rows.table], LINE_BYTES_MAX));
    case "measures":
    case "tool_calls": {
      const items = linesIn(rows.lines, itemColumns(rows.table));
      const readings = linesIn(rows.readings, READING_ROWS);
      return EXPORT_QUERIES[rows.table](`SELECT * FROM (${items}) JOIN (${readings}) USING (key)`);
    }
  }
}

/** Largest size of a span's line. A line can be so long because the name of a span can be as large as a body. */
const LINE_BYTES_MAX = 48 * 1024 * 1024;
const SHORT_LINE_BYTES_MAX = 16 * 1024 * 1024;

function linesIn(
  file: string,
  columns: Readonly<Record<string, ColumnType>>,
  lineBytesMax: number = SHORT_LINE_BYTES_MAX,
): string {
  const types = Object.entries(columns).map(([name, type]) => `"${name}": '${type}'`);
  return `SELECT * FROM read_json(${text(file)}, format = 'newline_delimited', columns = {${types.join(", ")}},
    maximum_object_size = ${lineBytesMax})`;
}
