import type { ExportSelection } from "../trace-store.ts";
import { type DatabaseConnection, integer, rowsOf } from "./database.ts";
import { tableOfDay } from "./day-tables.ts";
import { copyStatement, EXPORT_QUERIES, queryOfLines } from "./export-queries.ts";

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
  await read.run(copyStatement(queryOf(days, selection), file));
}

function queryOf(days: ReadonlySet<number>, selection: ExportSelection): string {
  if (selection.table === "lines") return queryOfLines(selection);
  const { table } = selection;
  const ofProject = `project = ${integer(selection.project)}`;
  switch (table) {
    case "spans": {
      const spans = days.has(selection.day) ? tableOfDay(selection.day) : NO_SPANS;
      const ids = [hex("trace_id", 32), hex("span_id", 16), hex("parent_span_id", 16)];
      return EXPORT_QUERIES.spans(`SELECT * REPLACE (${ids.join(", ")}) FROM ${spans} WHERE ${ofProject} ORDER BY lsn`);
    }
    case "conversations": {
      const ids = `list_transform(trace_ids, id -> ${hexOf("id", 32)}) AS trace_ids`;
      return EXPORT_QUERIES.conversations(
        `SELECT * REPLACE (${hex("trace_id", 32)}, ${ids}) FROM conversations WHERE ${ofProject} ORDER BY started_ns`,
      );
    }
    case "measures":
    case "tool_calls":
      return EXPORT_QUERIES[table](
        `SELECT i.*, ${hexOf("c.trace_id", 32)} AS trace_id FROM ${table} i JOIN conversations c USING (reading)
         WHERE i.${ofProject}`,
      );
  }
}

const hexOf = (value: string, digits: number) => `format('{:0${digits}x}', ${value})`;
const hex = (column: string, digits: number) => `${hexOf(column, digits)} AS ${column}`;

/** A table of spans without rows. */
const NO_SPANS = `(SELECT NULL::UINTEGER AS project, NULL::UHUGEINT AS trace_id, NULL::UBIGINT AS span_id,
  NULL::UBIGINT AS parent_span_id, NULL::BIGINT AS start_ns, NULL::BIGINT AS end_ns, NULL::BIGINT AS received_ms,
  NULL::BIGINT AS lsn, NULL::UTINYINT AS status, NULL::VARCHAR AS name, NULL::VARCHAR AS conversation, NULL::VARCHAR AS agent,
  NULL::VARCHAR AS service LIMIT 0)`;
