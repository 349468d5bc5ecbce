import { type Connection, idLiteral, rowsOf } from "../../stores/analytics.ts";
import type { TraceCursor, TraceListRequest, TraceSort } from "../rules.ts";
import type { Bodies } from "./bodies.ts";
import { hexId, readSpans, type SpanRow, type Whereabouts } from "./spans.ts";
import type { TraceSummaryRow } from "../summary-row.ts";

/** An end before the start, which clocks that were set back give, is no duration; the unknown sorts below all others. */
const SORT_KEY: Record<TraceSort["by"], { sql: string; of: (row: TraceSummaryRow) => bigint }> = {
  startedAt: { sql: "started_ns", of: (row) => row.startedNs },
  duration: {
    sql: "CASE WHEN ended_ns >= started_ns THEN ended_ns - started_ns ELSE -1 END",
    of: ({ startedNs, endedNs }) => (endedNs !== null && endedNs >= startedNs ? endedNs - startedNs : -1n),
  },
};

const SEARCHED = ["transcript", "preview", "agent", "conversation", "root_name"];

type SummaryColumns = {
  trace_id: bigint;
  conversation: string | null;
  source: TraceSummaryRow["source"];
  agent: string | null;
  service: string | null;
  root_name: string | null;
  root_end_ns: bigint | null;
  started_ns: bigint;
  ended_ns: bigint | null;
  spans: number;
  errors: number;
  turns: number | null;
  tool_calls: number | null;
  preview: string | null;
  received_last_ms: bigint;
};

/** Counts of a conversation that has changed since it was read are not known, until it is read again. */
const SUMMARY_COLUMNS = `trace_id, conversation, source, agent, service, root_name, root_end_ns, started_ns, ended_ns,
  spans, errors, if(projected_lsn >= lsn, turns, NULL) AS turns,
  if(projected_lsn >= lsn, tool_calls, NULL) AS tool_calls, preview, received_last_ms`;

const WHEREABOUTS = "first_day, last_day, first_lsn, lsn";

export type TracePage = { rows: TraceSummaryRow[]; next: TraceCursor | null };

export async function listTraces(read: Connection, request: TraceListRequest): Promise<TracePage> {
  const { sort, after, filters } = request;
  const key = SORT_KEY[sort.by];
  const [order, beyond] = sort.descending ? ["DESC", "<"] : ["ASC", ">"];
  const values: string[] = [];
  const bind = (value: string) => `$${values.push(value)}`;
  const where = [`project = ${integer(request.project)}`];
  if (filters.fromNs !== undefined) where.push(`started_ns >= ${filters.fromNs}`);
  if (filters.toNs !== undefined) where.push(`started_ns < ${filters.toNs}`);
  if (filters.status !== undefined) where.push(filters.status === "error" ? "errors > 0" : "errors = 0");
  if (filters.source !== undefined) where.push(`source = ${bind(filters.source)}`);
  if (filters.agent !== undefined) where.push(`agent = ${bind(filters.agent)}`);
  if (filters.search !== undefined) {
    const pattern = bind(`%${filters.search.replaceAll(/[\\%_]/g, "\\$&")}%`);
    where.push(`(${SEARCHED.map((column) => `${column} ILIKE ${pattern} ESCAPE '\\'`).join(" OR ")})`);
  }
  if (after !== undefined) {
    const value = BigInt(after.value);
    const id = idLiteral(after.traceId, "UHUGEINT");
    where.push(`(${key.sql} ${beyond} ${value} OR (${key.sql} = ${value} AND trace_id ${beyond} ${id}))`);
  }
  const found = await rowsOf<SummaryColumns>(
    read,
    `SELECT ${SUMMARY_COLUMNS} FROM traces WHERE ${where.join(" AND ")}
     ORDER BY ${key.sql} ${order}, trace_id ${order} LIMIT ${integer(request.limit) + 1}`,
    values,
  );
  const rows = found.slice(0, request.limit).map(toSummaryRow);
  const last = rows.at(-1);
  const more = found.length > request.limit && last !== undefined;
  return { rows, next: more ? { value: String(key.of(last)), traceId: last.traceId } : null };
}

export type TraceRows = { summary: TraceSummaryRow; rows: SpanRow[]; truncated: boolean };

/** A trace with its spans as rows, or null; a project sees its own only. */
export async function readTrace(
  read: Connection,
  bodies: Bodies,
  days: Set<number>,
  project: number,
  traceId: string,
): Promise<TraceRows | null> {
  type Found = SummaryColumns & { first_day: number; last_day: number; first_lsn: bigint; lsn: bigint };
  const [found] = await rowsOf<Found>(
    read,
    `SELECT ${SUMMARY_COLUMNS}, ${WHEREABOUTS} FROM traces
     WHERE project = ${integer(project)} AND trace_id = ${idLiteral(traceId, "UHUGEINT")}`,
  );
  if (found === undefined) return null;
  const { first_day, last_day, first_lsn, lsn } = found;
  const trace: Whereabouts = { project, traceId, firstDay: first_day, lastDay: last_day, firstLsn: first_lsn, lsn };
  return { summary: toSummaryRow(found), ...(await readSpans(read, bodies, days, [trace])) };
}

/** When the project's last span came, or null when it has none. */
export async function lastReceived(read: Connection, project: number): Promise<number | null> {
  const [row] = await rowsOf<{ last: bigint | null }>(
    read,
    `SELECT max(received_last_ms) AS last FROM traces WHERE project = ${integer(project)}`,
  );
  return row!.last === null ? null : Number(row!.last);
}

function toSummaryRow(row: SummaryColumns): TraceSummaryRow {
  return {
    traceId: hexId(row.trace_id, 32),
    conversation: row.conversation,
    source: row.source,
    agent: row.agent,
    service: row.service,
    rootName: row.root_name,
    rootEnded: row.root_end_ns !== null,
    startedNs: row.started_ns,
    endedNs: row.ended_ns,
    spans: row.spans,
    errors: row.errors,
    turns: row.turns,
    toolCalls: row.tool_calls,
    preview: row.preview,
    lastReceivedMs: Number(row.received_last_ms),
  };
}

function integer(value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`Not a whole number: ${value}`);
  return value;
}
