import { sql } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import { EXPORT_ROWS, READING_ROWS } from "../export-rows.ts";
import { listOf } from "./dialect.ts";

// The rows of exports that are in the index, as JSON lines with the columns of `EXPORT_ROWS`. Each query reads one page of rows in the
// order of their keys, which limits the size and the time of the query.

const READINGS_PER_PAGE = 1_000;
/** Small, because conversations have transcripts. */
const CONVERSATIONS_PER_PAGE = 100;

/** Leaves out conversations that were not derived yet. */
export async function* conversationRows(db: Db, project: number): AsyncGenerator<string> {
  for await (const { rows } of pagesOf(db, project, Object.keys(EXPORT_ROWS.conversations), CONVERSATIONS_PER_PAGE))
    yield rows
      .map(({ trace_ids: traceIds, quality, ...row }) =>
        lineOf({
          ...row,
          trace_ids: listOf(traceIds as string[]),
          quality: listOf(quality as string[])?.join(" ") ?? null,
        }),
      )
      .join("");
}

export async function* readingRows(db: Db, project: number): AsyncGenerator<{ keys: string[]; lines: string }> {
  for await (const { keys, rows } of pagesOf(db, project, Object.keys(READING_ROWS), READINGS_PER_PAGE))
    yield { keys, lines: rows.map(lineOf).join("") };
}

type Row = Record<string, unknown>;

/** In a line, 64-bit integers are strings. */
const isLong = (column: string) => column.endsWith("_ns");
const lineOf = (row: Row) => `${JSON.stringify(row)}\n`;

async function* pagesOf(
  db: Db,
  project: number,
  columns: readonly string[],
  size: number,
): AsyncGenerator<{ keys: string[]; rows: Row[] }> {
  const values = columns.map((column) => (isLong(column) ? `CAST(${column} AS TEXT) AS ${column}` : column));
  for (let after = ""; ;) {
    const { rows: found } = await sql<Row & { page_key: string }>`
      SELECT key AS page_key, ${sql.raw(values.join(", "))} FROM conversations
      WHERE project = ${project} AND key > ${after} AND reading IS NOT NULL AND traces > 0
      ORDER BY key LIMIT ${size}`.execute(db);
    if (found.length === 0) return;
    after = found.at(-1)!.page_key;
    yield { keys: found.map((row) => row.page_key), rows: found.map(({ page_key: _, ...row }) => row) };
  }
}
