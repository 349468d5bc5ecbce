import { type Connection, idLiteral } from "../stores/analytics.ts";
import { daysBetween, tableOfDay } from "./store-days.ts";
import type { StoredSpan } from "./stored-span.ts";

/** Most spans of one trace that are read, and most bytes of their JSON. */
export const SPANS_MAX = 10_000;
const JSON_BYTES_MAX = 64 * 1024 * 1024;

/** Where a trace's spans lie, as its row in `traces` tells. */
export type Whereabouts = {
  project: number;
  traceId: string;
  firstDay: number;
  lastDay: number;
  firstLsn: bigint;
  lsn: bigint;
};

export type SpanRow = {
  project: number;
  trace_id: bigint;
  span_id: bigint;
  parent_span_id: bigint | null;
  start_ns: bigint;
  end_ns: bigint | null;
  kind: number;
  status: number;
  name: string | null;
  status_message: string | null;
  attributes: string | null;
  events: string | null;
  links: string | null;
  resource: string | null;
  scope: string | null;
};

const COLUMNS =
  "project, trace_id, span_id, parent_span_id, start_ns, end_ns, kind, status, name, status_message, attributes, events, links";

/**
 * The spans of the wanted traces; `truncated` when there are more than the bounds let through. Those of one trace come by
 * start; of several in any order, for sorting costs more than reading.
 */
export async function readSpans(
  connection: Connection,
  days: Set<number>,
  wanted: Whereabouts[],
): Promise<{ rows: SpanRow[]; truncated: boolean }> {
  const least = (of: "firstDay" | "firstLsn") => Math.min(...wanted.map((trace) => Number(trace[of])));
  const most = (of: "lastDay" | "lsn") => Math.max(...wanted.map((trace) => Number(trace[of])));
  const tables = daysBetween(days, least("firstDay"), most("lastDay")).map(tableOfDay);
  if (tables.length === 0) return { rows: [], truncated: false };
  const ids = wanted.map((trace) => `(${trace.project}::UINTEGER, ${idLiteral(trace.traceId, "UHUGEINT")})`);
  const spans = tables.map(
    (table) =>
      `SELECT ${COLUMNS}, origin FROM ${table} SEMI JOIN (VALUES ${ids.join(", ")}) w(project, trace_id) USING (project, trace_id)
       WHERE lsn BETWEEN ${least("firstLsn")} AND ${most("lsn")}`,
  );
  const order = wanted.length === 1 ? "ORDER BY s.start_ns, s.span_id" : "";
  const result = await connection.stream(
    `SELECT ${COLUMNS.replaceAll(/(\w+)/g, "s.$1")}, o.resource, o.scope FROM (${spans.join(" UNION ALL ")}) s
     LEFT JOIN origins o ON o.id = s.origin ${order} LIMIT ${SPANS_MAX + 1}`,
  );
  const names = result.columnNames();
  const rows: SpanRow[] = [];
  let jsonBytes = 0;
  for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    for (const row of chunk.getRowObjects(names) as SpanRow[]) {
      jsonBytes += (row.attributes?.length ?? 0) + (row.events?.length ?? 0) + (row.links?.length ?? 0);
      if (rows.length === SPANS_MAX || (jsonBytes > JSON_BYTES_MAX && rows.length > 0))
        return { rows, truncated: true };
      rows.push(row);
    }
  }
  return { rows, truncated: false };
}

const STATUS = ["unset", "ok", "error"] as const;

/** Makes spans of rows; rows that share a resource or a scope share the parsed object. */
export function toStoredSpans(rows: readonly SpanRow[]): StoredSpan[] {
  const parsed = new Map<string, Record<string, unknown>>();
  const shared = (text: string | null): Record<string, unknown> => {
    if (text === null) return {};
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
      statusMessage: row.status_message,
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
