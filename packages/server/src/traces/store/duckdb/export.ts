import type { ExportSelection } from "../trace-store.ts";
import { type DatabaseConnection, integer, rowsOf } from "./database.ts";
import { tableOfDay } from "./day-tables.ts";

/** Returns the days with spans of the project, in order. */
export async function exportDays(
  read: DatabaseConnection,
  days: ReadonlySet<number>,
  project: number,
): Promise<number[]> {
  const found: number[] = [];
  for (const day of [...days].sort((one, other) => one - other)) {
    const rows = await rowsOf(read, `SELECT 1 FROM ${tableOfDay(day)} WHERE project = ${integer(project)} LIMIT 1`);
    if (rows.length > 0) found.push(day);
  }
  return found;
}

/** Writes the rows into a Parquet file. A day without a table has no rows. */
export async function exportTable(
  read: DatabaseConnection,
  days: ReadonlySet<number>,
  selection: ExportSelection,
  file: string,
): Promise<void> {
  await read.run(`COPY (${queryOf(days, selection)}) TO ${text(file)} (FORMAT parquet, COMPRESSION zstd)`);
}

function queryOf(days: ReadonlySet<number>, selection: ExportSelection): string {
  switch (selection.table) {
    case "spans":
      return spansOf(days.has(selection.day) ? tableOfDay(selection.day) : undefined, selection.project);
    case "conversations":
      return `${CONVERSATIONS} WHERE project = ${integer(selection.project)} ORDER BY started_ns`;
    case "measures":
      return `SELECT ${hex("c.trace_id", 32)} AS trace_id, m.source, m.agent, m.measure, ${time("m.at_ms", "ms")} AS at, m.value,
          m.provenance, m.turn
        FROM measures m JOIN conversations c USING (reading) WHERE m.project = ${integer(selection.project)}`;
    case "tool_calls":
      return `SELECT ${hex("c.trace_id", 32)} AS trace_id, u.source, u.agent, u.tool, ${time("u.at_ms", "ms")} AS at, u.is_error
        FROM tool_calls u JOIN conversations c USING (reading) WHERE u.project = ${integer(selection.project)}`;
    case "lines": {
      const types = Object.entries(selection.columns).map(([name, type]) => `${name}: '${type}'`);
      return `SELECT * FROM read_json(${text(selection.lines)}, format = 'newline_delimited', columns = {${types.join(", ")}})`;
    }
  }
}

const text = (value: string) => `'${value.replaceAll("'", "''")}'`;
const hex = (column: string, digits: number) => `format('{:0${digits}x}', ${column})`;
const time = (column: string, unit: "ns" | "ms") => `make_timestamp_${unit}(${column})`;

const spansOf = (table: string | undefined, project: number): string => `
  SELECT ${hex("trace_id", 32)} AS trace_id, ${hex("span_id", 16)} AS span_id, ${hex("parent_span_id", 16)} AS parent_span_id,
    conversation, name, CASE status WHEN 1 THEN 'ok' WHEN 2 THEN 'error' ELSE 'unset' END AS status,
    ${time("start_ns", "ns")} AS started_at, ${time("end_ns", "ns")} AS ended_at, ${time("received_ms", "ms")} AS received_at,
    agent, service
  FROM ${table ?? NO_SPANS} WHERE project = ${integer(project)} ORDER BY lsn`;

/** A table of spans without rows. */
const NO_SPANS = `(SELECT NULL::UINTEGER AS project, NULL::UHUGEINT AS trace_id, NULL::UBIGINT AS span_id,
  NULL::UBIGINT AS parent_span_id, NULL::BIGINT AS start_ns, NULL::BIGINT AS end_ns, NULL::BIGINT AS received_ms,
  NULL::BIGINT AS lsn, NULL::UTINYINT AS status, NULL::VARCHAR AS name, NULL::VARCHAR AS conversation, NULL::VARCHAR AS agent,
  NULL::VARCHAR AS service LIMIT 0)`;

const CONVERSATIONS = `
  SELECT ${hex("trace_id", 32)} AS trace_id, list_transform(trace_ids, id -> ${hex("id", 32)}) AS trace_ids, conversation, source,
    agent, service, root_name, ${time("started_ns", "ns")} AS started_at, ${time("ended_ns", "ns")} AS ended_at,
    ${time("received_last_ms", "ms")} AS received_at, spans, errors, turns, tool_calls, interruptions,
    latency_n, latency_mean AS latency_mean_ms, latency_p50 AS latency_p50_ms, latency_p95 AS latency_p95_ms, quality, transcript
  FROM conversations`;
