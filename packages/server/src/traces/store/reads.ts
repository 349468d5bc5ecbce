import { LIMITS } from "@svc/contract";
import { type Connection, idLiteral, rowsOf } from "../../stores/analytics.ts";
import type { TraceCursor, TraceListRequest, TraceSort } from "../rules.ts";
import type { Bodies } from "./bodies.ts";
import { conversationsOf, groupsOf, KEY } from "./groups.ts";
import { integer } from "./integer.ts";
import {
  hexId,
  PLACE_COLUMNS,
  type PlaceColumns,
  readSpans,
  type SpanRow,
  toWhereabouts,
  TRACES_MAX,
} from "./spans.ts";
import type { TraceSummaryRow } from "../summary-row.ts";
import { SERVICE } from "../vocabulary/platform-a/names.ts";

/** An end before the start, which clocks that were set back give, is no duration; the unknown sorts below all others. */
const SORT_KEY: Record<TraceSort["by"], string> = {
  startedAt: "started_ns",
  duration: "CASE WHEN ended_ns >= started_ns THEN ended_ns - started_ns ELSE -1 END",
  latency: `coalesce(round(latency_mean * 1000)::BIGINT, ${-(2n ** 62n)})`,
  lastReceived: "received_last_ms",
};

type SummaryColumns = {
  trace_id: bigint;
  trace_ids: { items: bigint[] };
  traces: number;
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
  is_read: boolean;
  turns: number | null;
  tool_calls: number | null;
  latency_n: number | null;
  latency_mean: number | null;
  latency_max: number | null;
  latency_p50: number | null;
  latency_p95: number | null;
  preview: string | null;
  received_last_ms: bigint;
};

const SUMMARY_COLUMNS = `trace_id, traces, conversation, source, agent, service, root.name AS root_name,
  root.end AS root_end_ns, started_ns, ended_ns, spans, errors, is_read, turns, tool_calls, latency_n, latency_mean,
  latency_max, latency_p50, latency_p95, preview, received_last_ms,
  list_transform(list_sort(ids)[1:${LIMITS.traceIdsShown}], lambda t: t.id) AS trace_ids`;

export type TracePage = { rows: TraceSummaryRow[]; next: TraceCursor | null };

/** Finds the page by the few columns that filters and sort name, and sums up the rest for its conversations only. */
export async function listTraces(read: Connection, request: TraceListRequest): Promise<TracePage> {
  const { sort, after, filters } = request;
  const key = SORT_KEY[sort.by];
  const [order, beyond] = sort.descending ? ["DESC", "<"] : ["ASC", ">"];
  const values: string[] = [];
  const bind = (value: string) => `$${values.push(value)}`;
  const ofProject = `project = ${integer(request.project)}`;
  const where = ["true"];
  if (filters.fromNs !== undefined) where.push(`started_ns >= ${filters.fromNs}`);
  if (filters.toNs !== undefined) where.push(`started_ns < ${filters.toNs}`);
  if (filters.status !== undefined) where.push(filters.status === "error" ? "errors > 0" : "errors = 0");
  if (filters.source !== undefined) where.push(`source = ${bind(filters.source)}`);
  if (filters.agent !== undefined) where.push(`agent = ${bind(filters.agent)}`);
  if (filters.search !== undefined) where.push(holds(bind(filters.search.toLowerCase())));
  if (after !== undefined) {
    const value = BigInt(after.value);
    const id = idLiteral(after.traceId, "UHUGEINT");
    where.push(`(${key} ${beyond} ${value} OR (${key} = ${value} AND trace_id ${beyond} ${id}))`);
  }
  const candidates = sort.by === "latency" || filters.search !== undefined ? conversationsOf : groupsOf;
  const recent =
    filters.receivedFromMs === undefined
      ? ofProject
      : `${ofProject} AND ${KEY} IN (SELECT ${KEY} FROM traces WHERE ${ofProject} AND received_last_ms >= ${integer(filters.receivedFromMs)})`;
  const inOrder = `ORDER BY ${key} ${order}, trace_id ${order}`;
  const found = await rowsOf<SummaryColumns & { sort_key: bigint }>(
    read,
    `WITH page AS MATERIALIZED (
       SELECT key FROM (${candidates(recent)}) WHERE ${where.join(" AND ")}
       ${inOrder} LIMIT ${integer(request.limit) + 1}
     )
     SELECT ${SUMMARY_COLUMNS}, ${key} AS sort_key
     FROM (${conversationsOf(`${ofProject} AND ${KEY} IN (SELECT key FROM page)`)}) ${inOrder}`,
    values,
  );
  const rows = found.slice(0, request.limit).map(toSummaryRow);
  const last = found[request.limit - 1];
  const more = found.length > request.limit && last !== undefined;
  return { rows, next: more ? { value: String(last.sort_key), traceId: hexId(last.trace_id, 32) } : null };
}

/** `text` is in lower case, and the transcript is stored so. */
const holds = (text: string) =>
  `(contains(transcript, ${text}) OR contains(lower(concat_ws(chr(10), agent, conversation, root.name)), ${text}))`;

export type TraceRows = { summary: TraceSummaryRow; rows: SpanRow[]; truncated: boolean };

/** The conversation that the trace is of, with the spans of all its traces as rows, or null; a project sees its own only. */
export async function readTrace(
  read: Connection,
  bodies: Bodies,
  days: Set<number>,
  project: number,
  traceId: string,
): Promise<TraceRows | null> {
  const found = await findConversation(read, project, traceId);
  if (found === null) return null;
  const places = await rowsOf<PlaceColumns>(
    read,
    `SELECT ${PLACE_COLUMNS} FROM traces WHERE project = ${integer(project)} AND ${KEY} = $1
     ORDER BY started_ns, trace_id LIMIT ${TRACES_MAX}`,
    [found.key],
  );
  const { rows, truncated } = await readSpans(read, bodies, days, places.map(toWhereabouts), { byStart: true });
  return { summary: found.summary, rows, truncated: truncated || places.length < found.summary.traces };
}

/** The same without the spans. */
export async function readSummary(read: Connection, project: number, traceId: string): Promise<TraceSummaryRow | null> {
  return (await findConversation(read, project, traceId))?.summary ?? null;
}

async function findConversation(read: Connection, project: number, traceId: string) {
  const ofProject = `project = ${integer(project)}`;
  const [trace] = await rowsOf<{ key: string }>(
    read,
    `SELECT ${KEY} AS key FROM traces WHERE ${ofProject} AND trace_id = ${idLiteral(traceId, "UHUGEINT")}`,
  );
  if (trace === undefined) return null;
  const [found] = await rowsOf<SummaryColumns>(
    read,
    `SELECT ${SUMMARY_COLUMNS} FROM (${conversationsOf(`${ofProject} AND ${KEY} = $1`)})`,
    [trace.key],
  );
  return found === undefined ? null : { key: trace.key, summary: toSummaryRow(found) };
}

/** When the last span of a production conversation came that a worker sent by itself, or null when there is none. */
export async function lastSent(read: Connection, project: number): Promise<number | null> {
  const [row] = await rowsOf<{ last: bigint | null }>(
    read,
    `SELECT max(received_last_ms) AS last FROM traces
     WHERE project = ${integer(project)} AND source = 'production' AND service IS DISTINCT FROM '${SERVICE}'`,
  );
  return row!.last === null ? null : Number(row!.last);
}

function toSummaryRow(row: SummaryColumns): TraceSummaryRow {
  const { latency_n: n, latency_mean: mean, latency_max: max, latency_p50: p50, latency_p95: p95 } = row;
  return {
    traceId: hexId(row.trace_id, 32),
    traceIds: row.trace_ids.items.map((id) => hexId(id, 32)),
    traces: row.traces,
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
    isRead: row.is_read,
    turns: row.turns,
    toolCalls: row.tool_calls,
    latency: n === null ? null : { n, mean, max, p50, p95 },
    preview: row.preview,
    lastReceivedMs: Number(row.received_last_ms),
  };
}
