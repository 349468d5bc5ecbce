import type { SavedView } from "@svc/contract";
import type { ViewedList } from "@svc/contract/constants";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { usePlace } from "../shell/place.ts";
import type { ListSearch } from "./list-search.ts";
import { viewsQuery } from "./queries.ts";
import type { TurnSearch } from "./turn-search.ts";
import { isChosen, type SearchOf, searchOfView } from "./view-search.ts";

export type OpenedView<Search extends ListSearch | TurnSearch> = {
  state: "open";
  /** Views of this list. */
  views: readonly SavedView[];
  /** View in the address; undefined without one, and when it no longer exists. */
  view: SavedView | undefined;
  isGone: boolean;
  /** Whether the filters differ from those of the view. */
  isChanged: boolean;
  /** Filters of the list. */
  search: Search;
  /** Hours of the view's moving range, while the filters have this range. */
  lastHours: number | undefined;
  /** Returns the address of the list with other filters. A view stays in the address, until no filter is left. */
  addressOf: (search: Search) => Search;
};

export type OpeningView = { state: "opening" } | { state: "failed"; error: Error; again: () => unknown };

/**
 * Finds the view in the address of a list. An address with a view alone shows the view as it is now. Filters in the address replace those of the view.
 */
export function useOpenedView<List extends ViewedList>(
  list: List,
  address: SearchOf[List],
): OpenedView<SearchOf[List]> | OpeningView {
  const { data, error, refetch } = useQuery(viewsQuery(usePlace()));
  const isOwn = isChosen(address);
  const views = useMemo(() => (data ?? []).filter(({ query }) => query.list === list), [data, list]);
  const view = views.find(({ id }) => id === address.view);
  // A moving range starts when the view is opened. Otherwise, each render would load the list again.
  const ofView = useMemo(
    () => (view === undefined ? undefined : searchOfView(list, view.query, Date.now())),
    [list, view],
  );
  const key = JSON.stringify(address);
  const search = useMemo(
    (): SearchOf[List] => (ofView === undefined || isOwn ? { ...address, view: undefined } : ofView),
    [key, ofView],
  );
  if (address.view !== undefined && !isOwn && data === undefined)
    return error === null ? { state: "opening" } : { state: "failed", error, again: refetch };
  return {
    state: "open",
    views,
    view,
    isGone: address.view !== undefined && data !== undefined && view === undefined,
    isChanged: view !== undefined && isOwn,
    search,
    lastHours: search.from === ofView?.from ? view?.query.lastHours : undefined,
    addressOf(changed) {
      if (view === undefined || !isChosen(changed)) return { ...changed, view: undefined };
      if (JSON.stringify(changed) === JSON.stringify(ofView)) return { view: view.id };
      return { ...changed, view: view.id };
    },
  };
}
