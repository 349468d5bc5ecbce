import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { ProjectPlace } from "../shell/place.ts";
import type { GroupsSearch } from "./group-words.ts";

const LIVE_MS = 10_000;
const PAGE_SIZE = 50;

const key = ({ organizationId, projectId }: ProjectPlace, operation: string) =>
  [organizationId, projectId, operation] as const;

export const groupPages = (place: ProjectPlace, search: GroupsSearch) =>
  infiniteQueryOptions({
    queryKey: [...key(place, "groups.list"), search],
    queryFn: ({ signal, pageParam }) =>
      place.client.groups.list(
        { projectId: place.projectId, ...search, pageSize: PAGE_SIZE, pageToken: pageParam },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextPageToken }) => nextPageToken ?? undefined,
    refetchInterval: LIVE_MS,
  });

export const groupQuery = (place: ProjectPlace, groupId: string) =>
  queryOptions({
    queryKey: [...key(place, "groups.get"), groupId],
    queryFn: async ({ signal }) =>
      (await place.client.groups.get({ groupId, projectId: place.projectId }, { signal })).group,
    refetchInterval: LIVE_MS,
  });

export const memberPages = (place: ProjectPlace, groupId: string) =>
  infiniteQueryOptions({
    queryKey: [...key(place, "groups.members"), groupId],
    queryFn: ({ signal, pageParam }) =>
      place.client.groups.members(
        { groupId, projectId: place.projectId, pageSize: PAGE_SIZE, pageToken: pageParam },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextPageToken }) => nextPageToken ?? undefined,
    refetchInterval: LIVE_MS,
  });
