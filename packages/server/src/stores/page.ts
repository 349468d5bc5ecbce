import { idPattern, type IdPrefix, LIMITS } from "@svc/contract";
import { AppError } from "../errors.ts";

/** One page more than asked, so that the last page is known without a second query. */
export type PageRequest = { limit: number; before: string | undefined };
export type Page<T> = { items: T[]; next: string | null };

/** A keyset page over ids, newest first: the cursor is the id of the last item. */
export function pageRequest(prefix: IdPrefix, limit: number | undefined, cursor: string | undefined): PageRequest {
  if (cursor !== undefined && !idPattern(prefix).test(cursor)) throw foreignCursor();
  return { limit: limit ?? LIMITS.pageSizeDefault, before: cursor };
}

/** Cuts `limit + 1` rows to a page. */
export function pageOf<T extends { id: string }>(rows: T[], limit: number): Page<T> {
  const items = rows.slice(0, limit);
  return { items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}

export const foreignCursor = () =>
  new AppError("unprocessable", "This cursor was not made by this list; start again without one.");
