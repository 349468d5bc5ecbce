import { idPattern, type IdPrefix, LIMITS } from "@svc/contract";
import { type SelectQueryBuilder, sql } from "kysely";
import { AppError } from "../base/errors.ts";
import type { Schema } from "./schema.ts";

export type PageRequest = { limit: number; before: string | undefined };
export type Page<T> = { items: T[]; next: string | null };

/** Checks the parameters of a page. The cursor is the id of the previous page's last item. */
export function pageRequest(prefix: IdPrefix, limit: number | undefined, cursor: string | undefined): PageRequest {
  if (cursor !== undefined && !idPattern(prefix).test(cursor)) throw foreignCursor();
  return { limit: limit ?? LIMITS.pageSizeDefault, before: cursor };
}

/** Reads a page of rows, newest id first. `id` is the name of the id column, for a query that joins tables. */
export async function readPage<T extends { id: string }>(
  query: SelectQueryBuilder<Schema, keyof Schema, T>,
  page: PageRequest,
  id = "id",
): Promise<Page<T>> {
  const column = sql.ref<string>(id);
  const rest = page.before === undefined ? query : query.where(column, "<", page.before);
  return pageOf(
    await rest
      .orderBy(column, "desc")
      .limit(page.limit + 1)
      .execute(),
    page.limit,
  );
}

/** Cuts `limit + 1` rows to one page. The extra row shows that there is another page, without a second query. */
export function pageOf<T extends { id: string }>(rows: T[], limit: number): Page<T> {
  const items = rows.slice(0, limit);
  return { items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}

export const foreignCursor = () =>
  new AppError("unprocessable", "This list did not create this cursor. Start again without a cursor.");

/** Yields all rows of a table, page by page. `read` returns the page after a row, or the first page; an empty page ends the table. */
export async function* readPages<Row>(read: (after: Row | undefined) => Promise<Row[]>): AsyncGenerator<Row[]> {
  for (let rows = await read(undefined); rows.length > 0; rows = await read(rows.at(-1))) yield rows;
}
