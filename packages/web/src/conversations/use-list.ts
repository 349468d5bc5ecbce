import type { ListedTrace } from "@svc/contract";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { queries } from "../queries.ts";
import { usePlace } from "../shell/place.ts";
import { isNewestFirst, type ListSearch } from "./list-search.ts";
import { conversationPages, newestConversations } from "./queries.ts";

/** If the page is scrolled down further than this, new rows are not added, so that rows do not move while someone reads. */
const TOP_PIXELS = 80;

export function useList(search: ListSearch, isLive: boolean) {
  const place = usePlace();
  const options = useMemo(() => conversationPages(place, search), [place.projectId, JSON.stringify(search)]);
  const list = useInfiniteQuery(options);
  const rows = useMemo(() => rowsOf(list.data?.pages ?? []), [list.data]);
  const follows = isLive && isNewestFirst(search) && list.data !== undefined;
  const newest = useQuery({ ...newestConversations(place, search), enabled: follows });
  const waiting = useMemo(() => countNew(rows, newest.data?.traces ?? []), [rows, newest.data]);

  const showNew = useCallback(() => {
    const page = newest.data;
    if (page === undefined) return;
    queries.setQueryData(options.queryKey, (before) => (before === undefined ? before : withNewest(before, page)));
  }, [options, newest.data]);

  useEffect(() => {
    const page = newest.data;
    if (!follows || page === undefined) return;
    if (window.scrollY <= TOP_PIXELS) showNew();
    else
      queries.setQueryData(options.queryKey, (before) =>
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

/** Returns the index of the row that the user selected with the keys `j` and `k`. */
export function useCurrentRow(count: number, listKey: string) {
  const [current, setCurrent] = useState<number>();
  useEffect(() => setCurrent(undefined), [listKey]);
  const move = (by: 1 | -1) =>
    setCurrent((was) =>
      count === 0 ? undefined : Math.min(Math.max((was ?? (by === 1 ? -1 : 0)) + by, 0), count - 1),
    );
  return { current, next: () => move(1), previous: () => move(-1) };
}

type ListPage = { traces: ListedTrace[]; nextPageToken: string | null };

type ListPages<Page extends ListPage = ListPage> = { pages: Page[]; pageParams: unknown[] };

/** If a conversation is on two pages, only its first position is used. */
export function rowsOf(pages: readonly ListPage[]): ListedTrace[] {
  const seen = new Set<string>();
  const rows: ListedTrace[] = [];
  for (const { traces } of pages)
    for (const trace of traces) {
      if (seen.has(trace.traceId)) continue;
      seen.add(trace.traceId);
      rows.push(trace);
    }
  return rows;
}

export function countNew(rows: readonly ListedTrace[], newest: readonly ListedTrace[]): number {
  const known = new Set(rows.slice(0, newest.length * 2).map(({ traceId }) => traceId));
  return newest.filter(({ traceId }) => !known.has(traceId)).length;
}

/**
 * Adds the newest conversations at the top, and updates the conversations that the list already contains. If the list contains none
 * of the newest conversations, the result is only the newest page, because conversations may be missing in between.
 */
export function withNewest<Page extends ListPage>(
  { pages, pageParams }: ListPages<Page>,
  newest: Page,
): ListPages<Page> {
  const known = new Set(pages.flatMap(({ traces }) => traces.map(({ traceId }) => traceId)));
  const isConnected = newest.traces.some(({ traceId }) => known.has(traceId)) || newest.nextPageToken === null;
  if (!isConnected || pages.length === 0) return { pages: [newest], pageParams: [undefined] };
  const fresh = newest.traces.filter(({ traceId }) => !known.has(traceId));
  const first = { ...pages[0]!, traces: [...fresh, ...pages[0]!.traces] };
  return withStates({ pages: [first, ...pages.slice(1)], pageParams }, newest.traces);
}

/** Replaces changed conversations without moving them. */
function withStates<Page extends ListPage>(
  { pages, pageParams }: ListPages<Page>,
  present: readonly ListedTrace[],
): ListPages<Page> {
  const states = new Map(present.map((trace) => [trace.traceId, trace]));
  const changed = pages.map((page) =>
    page.traces.some((trace) => isOther(trace, states.get(trace.traceId)))
      ? { ...page, traces: page.traces.map((trace) => states.get(trace.traceId) ?? trace) }
      : page,
  );
  return { pages: changed, pageParams };
}

const isOther = (trace: ListedTrace, present: ListedTrace | undefined): boolean =>
  present !== undefined &&
  (present.lastReceivedAt !== trace.lastReceivedAt ||
    present.state !== trace.state ||
    present.turnCount !== trace.turnCount ||
    present.preview !== trace.preview ||
    present.reportedOutcome?.summary !== trace.reportedOutcome?.summary ||
    JSON.stringify(present.verdicts) !== JSON.stringify(trace.verdicts));
