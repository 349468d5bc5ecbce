import { useInfiniteQuery } from "@tanstack/react-query";
import { usePlace } from "../frame/place.ts";
import { lastList } from "./last-list.ts";
import { conversationPages } from "./queries.ts";
import { rowsOf } from "./shown-list.ts";

/** The conversations before and after one in the list that the person looked at last. */
export type Neighbours = { previous: string | undefined; next: string | undefined; place: number | undefined };

/** Returns the neighbours of a conversation; none while the list does not hold it. */
export function useNeighbours(traceId: string): Neighbours {
  const place = usePlace();
  const list = useInfiniteQuery(conversationPages(place, lastList(place.projectId)));
  const rows = rowsOf(list.data?.pages ?? []);
  const at = rows.findIndex((row) => row.traceId === traceId || row.traceIds.includes(traceId));
  const isNearEnd = at >= 0 && at >= rows.length - 2;
  if (isNearEnd && list.hasNextPage && !list.isFetchingNextPage && !list.isFetchNextPageError)
    void list.fetchNextPage();
  if (at < 0) return { previous: undefined, next: undefined, place: undefined };
  return { previous: rows[at - 1]?.traceId, next: rows[at + 1]?.traceId, place: at };
}
