import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { usePlace } from "../frame/place.ts";
import { isNewestFirst, type ListSearch } from "./list-search.ts";
import { conversationPages, newestConversations } from "./queries.ts";
import { countNew, rowsOf, withNewest, withStates } from "./shown-list.ts";

/** Above this distance from the top, new rows wait, so that nothing moves under the hand. */
const TOP_PIXELS = 80;

/** Returns the conversations that match and the ways to more: the next page, and those that came while the page was seen. */
export function useList(search: ListSearch, isLive: boolean) {
  const place = usePlace();
  const client = useQueryClient();
  const options = useMemo(() => conversationPages(place, search), [place.projectId, JSON.stringify(search)]);
  const list = useInfiniteQuery(options);
  const rows = useMemo(() => rowsOf(list.data?.pages ?? []), [list.data]);
  const follows = isLive && isNewestFirst(search) && list.data !== undefined;
  const newest = useQuery({ ...newestConversations(place, search), enabled: follows });
  const waiting = useMemo(() => countNew(rows, newest.data?.traces ?? []), [rows, newest.data]);

  const showNew = useCallback(() => {
    const page = newest.data;
    if (page === undefined) return;
    client.setQueryData(options.queryKey, (before) => (before === undefined ? before : withNewest(before, page)));
  }, [client, options, newest.data]);

  useEffect(() => {
    const page = newest.data;
    if (!follows || page === undefined) return;
    if (window.scrollY <= TOP_PIXELS) showNew();
    else
      client.setQueryData(options.queryKey, (before) =>
        before === undefined ? before : withStates(before, page.traces),
      );
  }, [newest.data]);

  const { fetchNextPage, hasNextPage, isFetchingNextPage, isFetchNextPageError } = list;
  const isBusy = useRef(false);
  isBusy.current = isFetchingNextPage;
  const more = useCallback(() => {
    if (hasNextPage && !isBusy.current) void fetchNextPage();
  }, [hasNextPage, fetchNextPage]);
  return { list, rows, waiting: follows ? waiting : 0, showNew, more, isMoreFailed: isFetchNextPageError, newest };
}

/** Returns the index of the row that the keys `j` and `k` chose. A list with other filters has none. */
export function useCurrentRow(count: number, listKey: string) {
  const [current, setCurrent] = useState<number>();
  useEffect(() => setCurrent(undefined), [listKey]);
  const move = (by: 1 | -1) =>
    setCurrent((was) =>
      count === 0 ? undefined : Math.min(Math.max((was ?? (by === 1 ? -1 : 0)) + by, 0), count - 1),
    );
  return { current, next: () => move(1), previous: () => move(-1) };
}
