import { sql } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import { EXPORT_ROWS, READING_ROWS } from "../export-rows.ts";
import { listOf } from "./dialect.ts";

// The rows of exports that the index has, as lines of JSON with the columns of `EXPORT_ROWS`. Every read is one page by key, so
// that its size and its time have a bound.

const READINGS_PER_PAGE = 1_000;
/** Conversations have transcripts. */
const CONVERSATIONS_PER_PAGE = 100;

/** Returns the project's conversations as they were read last; those that were never read are left out. */
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

/** Returns the readings of the project's conversations page by page, with their keys and the columns of `READING_ROWS`. */
export async function* readingRows(db: Db, project: number): AsyncGenerator<{ keys: string[]; lines: string }> {
  for await (const { keys, rows } of pagesOf(db, project, Object.keys(READING_ROWS), READINGS_PER_PAGE))
    yield { keys, lines: rows.map(lineOf).join("") };
}

type Row = Record<string, unknown>;

/** Integers of 64 bits are texts in a line. */
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
