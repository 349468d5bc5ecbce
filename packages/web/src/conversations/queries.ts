import { LIMITS } from "@svc/contract/constants";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { usePlace } from "../shell/place.ts";
import { inputOf, type ListSearch } from "./list-search.ts";
import { turnInputOf, type TurnSearch } from "./turn-search.ts";

export type Place = Pick<ReturnType<typeof usePlace>, "client" | "organizationId" | "projectId">;

const PAGE_SIZE = 50;
const NEW_MS = 10_000;
const UNFINISHED_MS = 2_000;
/** A conversation is usually graded within this time after its last span. */
const GRADING_MS = 10 * 60_000;

const key = ({ organizationId, projectId }: Place, operation: string) =>
  [organizationId, projectId, operation] as const;

/** Each page is fetched only once. `newestConversations` fetches new conversations, so a long list is never fetched again. */
export const conversationPages = (place: Place, search: ListSearch) =>
  infiniteQueryOptions({
    queryKey: [...key(place, "traces.list"), "pages", inputOf(search)],
    queryFn: ({ signal, pageParam }) =>
      place.client.traces.list(
        { ...inputOf(search), projectId: place.projectId, pageSize: PAGE_SIZE, pageToken: pageParam },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextPageToken }) => nextPageToken ?? undefined,
    staleTime: Infinity,
    refetchOnMount: (query) => (query.state.data?.pages.length ?? 0) <= 1,
    // Structural sharing would compare all rows of a long list with the earlier rows, which costs more than it saves.
    structuralSharing: false,
  });

export const turnPages = (place: Place, search: TurnSearch) =>
  infiniteQueryOptions({
    queryKey: [...key(place, "turns.list"), turnInputOf(search)],
    queryFn: ({ signal, pageParam }) =>
      place.client.turns.list(
        { ...turnInputOf(search), projectId: place.projectId, pageSize: PAGE_SIZE, pageToken: pageParam },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextPageToken }) => nextPageToken ?? undefined,
  });

/** The request is repeated every 10 seconds while the page is visible. */
export const newestConversations = (place: Place, search: ListSearch) =>
  queryOptions({
    queryKey: [...key(place, "traces.list"), "newest", inputOf(search)],
    queryFn: ({ signal }) =>
      place.client.traces.list({ ...inputOf(search), projectId: place.projectId, pageSize: PAGE_SIZE }, { signal }),
    refetchInterval: NEW_MS,
    staleTime: 0,
  });

/** Above a limit, the service returns no exact number, only that there are more conversations. */
export const conversationCount = (place: Place, search: ListSearch) =>
  queryOptions({
    queryKey: [...key(place, "traces.list"), "total", inputOf(search)],
    queryFn: async ({ signal }) => {
      const { total, totalIsMore } = await place.client.traces.list(
        { ...inputOf(search), projectId: place.projectId, pageSize: 1, total: true },
        { signal },
      );
      return { total, totalIsMore };
    },
    staleTime: 30_000,
  });

/** The request is repeated until the conversation is final. */
export const conversationQuery = (place: Place, traceId: string) =>
  queryOptions({
    queryKey: [...key(place, "traces.get"), traceId],
    queryFn: ({ signal }) => place.client.traces.get({ projectId: place.projectId, traceId }, { signal }),
    refetchInterval: ({ state }) => (state.data?.state === "provisional" ? UNFINISHED_MS : false),
    staleTime: 30_000,
  });

/** The request is repeated while grading may still run. */
export const gradesQuery = (place: Place, traceId: string, lastReceivedAt: string | undefined) =>
  queryOptions({
    queryKey: [...key(place, "grades.ofTrace"), traceId],
    queryFn: ({ signal }) => place.client.grades.ofTrace({ projectId: place.projectId, traceId }, { signal }),
    refetchInterval:
      lastReceivedAt !== undefined && Date.now() - Date.parse(lastReceivedAt) < GRADING_MS ? NEW_MS : false,
  });

/** Views of both lists, in the order in which they were saved. */
export const viewsQuery = (place: Place) =>
  queryOptions({
    queryKey: key(place, "views.list"),
    queryFn: async ({ signal }) => {
      const { views } = await place.client.views.list(
        { projectId: place.projectId, pageSize: LIMITS.views },
        { signal },
      );
      return views.reverse();
    },
    staleTime: 30_000,
  });

export const runChoices = (place: Place) =>
  queryOptions({
    queryKey: [...key(place, "runs.list"), "choices"],
    queryFn: ({ signal }) => place.client.runs.list({ projectId: place.projectId, pageSize: 50 }, { signal }),
    staleTime: 60_000,
  });

const AGENTS_MS = 30 * 86_400_000;

export const agentChoices = (place: Place) =>
  queryOptions({
    queryKey: [...key(place, "metrics.conversations"), "agents"],
    queryFn: async ({ signal }) => {
      const from = new Date(Math.floor((Date.now() - AGENTS_MS) / 3_600_000) * 3_600_000).toISOString();
      const { series } = await place.client.metrics.conversations(
        { projectId: place.projectId, from, bucket: "day" },
        { signal },
      );
      return [...new Set(series.flatMap(({ agentName }) => agentName ?? []))].sort((a, b) => a.localeCompare(b));
    },
    staleTime: 60_000,
  });
