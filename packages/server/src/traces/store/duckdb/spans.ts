import { hexId, type IndexRow } from "../span-row.ts";
import { type DatabaseConnection, idLiteral, rowsOf } from "./database.ts";
import { daysBetween, tableOfDay } from "./day-tables.ts";

/** Limits of one read of a conversation: spans, traces. */
const SPANS_MAX = 10_000;
export const TRACES_MAX = 1_000;

/** The days and the journal records between which a trace's spans were received. */
type TraceExtent = {
  project: number;
  traceId: string;
  firstDay: number;
  lastDay: number;
  firstLsn: bigint;
  lsn: bigint;
};

export const EXTENT_COLUMNS = "project, trace_id, first_day, last_day, first_lsn, lsn";

export type ExtentColumns = {
  project: number;
  trace_id: bigint;
  first_day: number;
  last_day: number;
  first_lsn: bigint;
  lsn: bigint;
};

export const toExtent = (row: ExtentColumns): TraceExtent => ({
  project: row.project,
  traceId: hexId(row.trace_id, 32),
  firstDay: row.first_day,
  lastDay: row.last_day,
  firstLsn: row.first_lsn,
  lsn: row.lsn,
});

const COLUMNS = "project, trace_id, span_id, parent_span_id, start_ns, end_ns, status, name, segment, position".split(
  ", ",
);

/**
 * Reads the rows of the traces' spans; `truncated` when a limit cut them. Sorting costs more than reading, therefore only
 * `byStart` sorts them, and the latest spans are cut.
 */
export async function readIndex(
  connection: DatabaseConnection,
  days: Set<number>,
  traces: TraceExtent[],
  { byStart }: { byStart: boolean },
): Promise<{ rows: IndexRow[]; truncated: boolean }> {
  const least = (of: "firstDay" | "firstLsn") => Math.min(...traces.map((trace) => Number(trace[of])));
  const most = (of: "lastDay" | "lsn") => Math.max(...traces.map((trace) => Number(trace[of])));
  const tables = daysBetween(days, least("firstDay"), most("lastDay")).map(tableOfDay);
  if (tables.length === 0) return { rows: [], truncated: false };
  const ids = traces.map((trace) => `(${trace.project}::UINTEGER, ${idLiteral(trace.traceId, "UHUGEINT")})`);
  const spans = tables.map(
    (table) =>
      `SELECT ${COLUMNS.join(", ")} FROM ${table}
       SEMI JOIN (VALUES ${ids.join(", ")}) w(project, trace_id) USING (project, trace_id)
       WHERE lsn BETWEEN ${least("firstLsn")} AND ${most("lsn")}`,
  );
  const order = byStart ? "ORDER BY start_ns, span_id, trace_id" : "";
  const rows = await rowsOf<IndexRow>(
    connection,
    `FROM (${spans.join(" UNION ALL ")}) ${order} LIMIT ${SPANS_MAX + 1}`,
  );
  return { rows: rows.slice(0, SPANS_MAX), truncated: rows.length > SPANS_MAX };
}
