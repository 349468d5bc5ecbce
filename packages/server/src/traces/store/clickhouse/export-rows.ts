import { sql } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import { DAY_MS } from "../day.ts";
import { EXPORT_ROWS, itemColumns } from "../export-rows.ts";
import { type ClickHouse, integer, quoted } from "./client.ts";
import { hex, isOneOf, TRACE_ID } from "./spans.ts";

// The rows of exports, as JSON lines with the columns of `EXPORT_ROWS`. Each query reads one page by key, which limits its size
// and time.

const TRACES_PER_PAGE = 1_000;
const SPANS_PER_PAGE = 100_000;

type Lines = AsyncGenerator<string | Uint8Array>;

export async function listDays({ rowsOf, table }: ClickHouse, project?: number): Promise<number[]> {
  const ofProject = project === undefined ? "" : `WHERE project = ${integer(project)}`;
  const rows = await rowsOf<{ day: string }>(
    `SELECT DISTINCT _partition_id AS day FROM ${table("spans")} ${ofProject} ORDER BY day`,
  );
  return rows.map(({ day }) => Date.parse(day.replace(/^(\d{4})(\d{2})(\d{2})$/, "$1-$2-$3")) / DAY_MS);
}

/**
 * Yields the project's spans of a day. Leaves out spans of traces that are not in the index, because their conversation is deleted
 * or they are not acknowledged yet. A repeated span belongs to the day on which its first copy was received.
 */
export async function* spanRows(clickHouse: ClickHouse, db: Db, project: number, day: number): Lines {
  const [fromMs, toMs] = [day * DAY_MS, (day + 1) * DAY_MS];
  for (let after = ""; ;) {
    const traceIds = await tracesBetween(db, project, { fromMs, toMs }, after);
    if (traceIds.length === 0) return;
    after = traceIds.at(-1)!;
    const traces = traceIds.map((traceId) => ({ project, traceId }));
    yield* clickHouse.jsonOf(
      `SELECT ${SPAN_VALUES} FROM (
         SELECT * FROM ${clickHouse.table("spans")}
         WHERE ${isOneOf(traces)} AND received_us < ${integer(toMs)} * 1000
         ORDER BY received_us LIMIT 1 BY trace_id, span_id)
       WHERE received_us >= ${integer(fromMs)} * 1000`,
    );
  }
}

/** Stops after a limited number of spans. */
async function tracesBetween(
  db: Db,
  project: number,
  { fromMs, toMs }: { fromMs: number; toMs: number },
  after: string,
): Promise<string[]> {
  const { rows } = await sql<{ trace_id: string }>`
    SELECT trace_id FROM (
      SELECT trace_id, sum(spans) OVER (ORDER BY trace_id) - spans AS spans_before FROM (
        SELECT trace_id, spans FROM traces
        WHERE project = ${project} AND trace_id > ${after} AND received_first_ms < ${toMs} AND received_last_ms >= ${fromMs}
        ORDER BY trace_id LIMIT ${TRACES_PER_PAGE}) page) counted
    WHERE spans_before < ${SPANS_PER_PAGE} ORDER BY trace_id`.execute(db);
  return rows.map(({ trace_id }) => trace_id);
}

export function itemRows(
  { jsonOf, table }: ClickHouse,
  of: "measures" | "tool_calls",
  project: number,
  keys: readonly string[],
): AsyncIterable<Uint8Array> {
  const items = of === "measures" ? "samples" : "tools";
  const values = Object.keys(itemColumns(of)).map((name) => `${ITEM_VALUES[name] ?? `item.${name}`} AS ${name}`);
  return jsonOf(
    `SELECT ${values.join(", ")} FROM ${table("readings")} FINAL
     ARRAY JOIN ${items} AS item WHERE project = ${integer(project)} AND key IN (${keys.map(quoted).join(", ")})`,
  );
}

/** A column has the SQL expression in `values`, or else the stored column of the same name. */
const valuesOf = (columns: object, values: Readonly<Record<string, string>>) =>
  Object.keys(columns)
    .map((name) => (name in values ? `${values[name]} AS ${name}` : name))
    .join(", ");

const orNull = (column: string) => `nullIf(${column}, '')`;

const SPAN_VALUES = valuesOf(EXPORT_ROWS.spans, {
  trace_id: TRACE_ID,
  span_id: hex("span_id", 16),
  parent_span_id: `if(parent_span_id = 0, NULL, ${hex("parent_span_id", 16)})`,
  conversation: orNull("conversation"),
  end_ns: "nullIf(end_ns, 0)",
  received_ms: "intDiv(received_us, 1000)",
  agent: orNull("agent"),
  service: orNull("service"),
});

const ITEM_VALUES: Readonly<Record<string, string>> = {
  key: "key",
  source: "source",
  agent: "agent",
  is_error: "CAST(item.is_error, 'Nullable(Bool)')",
};
