import type { StoredSpan } from "../../stored-span.ts";
import type { BodyReader } from "../body-reader.ts";
import type { SpanDetails } from "../body-spans.ts";
import { type DatabaseConnection, idLiteral, rowsOf } from "./database.ts";
import { daysBetween, tableOfDay } from "./day-tables.ts";

/** Limits of one read of a conversation: spans, bytes of their JSON, traces. */
const SPANS_MAX = 10_000;
const JSON_BYTES_MAX = 64 * 1024 * 1024;
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

type IndexRow = {
  project: number;
  trace_id: bigint;
  span_id: bigint;
  parent_span_id: bigint | null;
  start_ns: bigint;
  end_ns: bigint | null;
  status: number;
  name: string | null;
  segment: bigint;
  position: number;
};

/** A span as it crosses threads: its row in the tables, and the rest from its body. */
export type SpanRow = IndexRow & SpanDetails;

const COLUMNS = "project, trace_id, span_id, parent_span_id, start_ns, end_ns, status, name, segment, position".split(
  ", ",
);

/**
 * Reads the spans of the traces; `truncated` when a limit cut them. Sorting costs more than reading, therefore only
 * `byStart` sorts them, and the latest spans are cut.
 */
export async function readSpans(
  connection: DatabaseConnection,
  bodies: BodyReader,
  days: Set<number>,
  traces: TraceExtent[],
  { byStart }: { byStart: boolean },
): Promise<{ rows: SpanRow[]; truncated: boolean }> {
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
  const indexRows = await rowsOf<IndexRow>(
    connection,
    `FROM (${spans.join(" UNION ALL ")}) ${order} LIMIT ${SPANS_MAX + 1}`,
  );
  const rows: SpanRow[] = [];
  let jsonBytes = 0;
  for (const row of indexRows) {
    if (rows.length === SPANS_MAX || jsonBytes > JSON_BYTES_MAX) return { rows, truncated: true };
    const body = bodies.read({ segment: Number(row.segment), position: row.position });
    const details = body?.find(row.trace_id, row.span_id) ?? UNREADABLE;
    rows.push({ ...row, ...details });
    jsonBytes += jsonBytesOf(details);
  }
  return { rows, truncated: false };
}

/**
 * A shared resource or scope counts with each span, because each span crosses threads and is returned with a copy of
 * it.
 */
const jsonBytesOf = ({ statusMessage, attributes, events, links, resource, scope }: SpanDetails): number =>
  [statusMessage, attributes, events, links, resource, scope].reduce((sum, text) => sum + (text?.length ?? 0), 0);

/** The details of a span whose body is missing or damaged; the columns in the tables are still returned. */
const UNREADABLE: SpanDetails = {
  kind: 0,
  statusMessage: null,
  attributes: null,
  events: null,
  links: null,
  resource: "{}",
  scope: "{}",
};

const STATUS = ["unset", "ok", "error"] as const;

/** Parses rows to spans; rows that share a resource or a scope share the parsed object. */
export function toStoredSpans(rows: readonly SpanRow[]): StoredSpan[] {
  const parsed = new Map<string, Record<string, unknown>>();
  const shared = (text: string): Record<string, unknown> => {
    let value = parsed.get(text);
    if (value === undefined) parsed.set(text, (value = JSON.parse(text) as Record<string, unknown>));
    return value;
  };
  return rows.map((row): StoredSpan => {
    const scope = shared(row.scope) as { name?: string; version?: string };
    return {
      traceId: hexId(row.trace_id, 32),
      spanId: hexId(row.span_id, 16),
      parentSpanId: row.parent_span_id === null ? null : hexId(row.parent_span_id, 16),
      name: row.name ?? "",
      kind: row.kind,
      startNs: row.start_ns,
      endNs: row.end_ns,
      status: STATUS[row.status] ?? "unset",
      statusMessage: row.statusMessage,
      attributes: row.attributes === null ? {} : (JSON.parse(row.attributes) as Record<string, unknown>),
      events: row.events === null ? [] : (JSON.parse(row.events) as StoredEvent[]).map(toEvent),
      links: row.links === null ? [] : (JSON.parse(row.links) as unknown[]),
      resource: (shared(row.resource)["attributes"] ?? {}) as Record<string, unknown>,
      scopeName: scope.name || null,
      scopeVersion: scope.version || null,
    };
  });
}

type StoredEvent = { time_ns: string; name: string; attributes: Record<string, unknown> };

const toEvent = (event: StoredEvent) => ({
  timeNs: BigInt(event.time_ns),
  name: event.name,
  attributes: event.attributes,
});

export const hexId = (id: bigint, digits: 16 | 32) => id.toString(16).padStart(digits, "0");
