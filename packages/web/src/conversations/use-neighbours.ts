import { queryOptions, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { Trace } from "@svc/contract";
import { usePlace } from "../shell/place.ts";
import { inputOf, type ListSearch, readListSearch } from "./list-search.ts";
import { conversationPages, type Place } from "./queries.ts";
import { rowsOf } from "./use-list.ts";

const PREFIX = "svc.list.";

/** Ids of the conversations before and after a conversation, in the list that the user viewed last. */
type Neighbours = { previous: string | undefined; next: string | undefined };

/**
 * In a list by start time, the neighbours are the conversations with the next start times. In a list with another order, they are
 * the adjacent rows.
 */
export function useNeighbours(conversation: Pick<Trace, "traceId" | "startedAt">): Neighbours {
  const place = usePlace();
  const { search } = lastList(place.projectId);
  const { sort = "-startedAt" } = search;
  const isByStart = sort === "-startedAt" || sort === "startedAt";
  const later = useQuery({ ...beside(place, search, conversation, "later"), enabled: isByStart });
  const earlier = useQuery({ ...beside(place, search, conversation, "earlier"), enabled: isByStart });
  const list = useInfiniteQuery({ ...conversationPages(place, search), enabled: !isByStart });
  if (isByStart) {
    const [newer, older] = [later.data ?? undefined, earlier.data ?? undefined];
    return sort === "-startedAt" ? { previous: newer, next: older } : { previous: older, next: newer };
  }
  const rows = rowsOf(list.data?.pages ?? []);
  const at = rows.findIndex(({ traceId }) => traceId === conversation.traceId);
  return { previous: at < 1 ? undefined : rows[at - 1]!.traceId, next: at < 0 ? undefined : rows[at + 1]?.traceId };
}

/** Returns the query for the matching conversation with the next later or earlier start; null if there is none. */
function beside(
  place: Place,
  search: ListSearch,
  { traceId, startedAt }: Pick<Trace, "traceId" | "startedAt">,
  side: "later" | "earlier",
) {
  const limits =
    side === "later"
      ? { from: new Date(Date.parse(startedAt) + 1).toISOString(), sort: "startedAt" as const }
      : { to: startedAt, sort: "-startedAt" as const };
  const input = { ...inputOf(search), ...limits };
  const isOutside = input.from !== undefined && input.to !== undefined && input.from >= input.to;
  return queryOptions({
    queryKey: [place.organizationId, place.projectId, "traces.list", "beside", traceId, input],
    queryFn: async ({ signal }) => {
      if (isOutside) return null;
      const { traces } = await place.client.traces.list(
        { ...input, projectId: place.projectId, pageSize: 1 },
        { signal },
      );
      return traces[0]?.traceId ?? null;
    },
    staleTime: 30_000,
  });
}

/** A list that the user viewed: its filters, and the address with which it opens again. */
type RememberedList = { search: ListSearch; address: ListSearch };

/** Stores the user's list in the session storage of the tab, so that a reload does not lose the neighbours. */
export function rememberList(projectId: string, list: RememberedList): void {
  try {
    sessionStorage.setItem(PREFIX + projectId, JSON.stringify(list));
  } catch {
    // Without storage, `lastList` returns the list without filters.
  }
}

export function lastList(projectId: string): RememberedList {
  try {
    const { search, address } = JSON.parse(sessionStorage.getItem(PREFIX + projectId) ?? "{}");
    return { search: readListSearch(search ?? {}), address: readListSearch(address ?? {}) };
  } catch {
    return { search: {}, address: {} };
  }
}
