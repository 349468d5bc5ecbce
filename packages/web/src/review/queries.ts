import type { ReviewItem, ReviewQueue, ReviewReason } from "@svc/contract";
import { infiniteQueryOptions, queryOptions, useMutation } from "@tanstack/react-query";
import { allOf, queries, refresh } from "../queries.ts";
import { type ProjectPlace, usePlace } from "../shell/place.ts";

const LIVE_MS = 10_000;
const PAGE_SIZE = 50;

const key = ({ organizationId, projectId }: ProjectPlace, operation: string) =>
  [organizationId, projectId, operation] as const;

export const queueQuery = (place: ProjectPlace) =>
  queryOptions({
    queryKey: key(place, "review.queue"),
    queryFn: async ({ signal }) => (await place.client.review.queue({ projectId: place.projectId }, { signal })).queue,
    refetchInterval: LIVE_MS,
  });

export const itemQuery = (place: ProjectPlace, reviewItemId: string) =>
  queryOptions({
    queryKey: [...key(place, "review.get"), reviewItemId],
    queryFn: ({ signal }) => place.client.review.get({ reviewItemId, projectId: place.projectId }, { signal }),
  });

export const itemPages = (place: ProjectPlace, filters: { state?: ReviewItem["state"]; reason?: ReviewReason }) =>
  infiniteQueryOptions({
    queryKey: [...key(place, "review.list"), filters],
    queryFn: ({ signal, pageParam }) =>
      place.client.review.list(
        { ...filters, projectId: place.projectId, pageSize: PAGE_SIZE, pageToken: pageParam },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextPageToken }) => nextPageToken ?? undefined,
    refetchInterval: LIVE_MS,
  });

export const graderChoices = (place: ProjectPlace) =>
  queryOptions({
    queryKey: [...key(place, "graders.list"), "choices"],
    queryFn: ({ signal }) => allOf(place.client.graders.list, { projectId: place.projectId }, signal),
    staleTime: 60_000,
  });

type Settings = Partial<Omit<ReviewQueue, "counts" | "itemsMax" | "leftOut">>;

export function useConfigure() {
  const place = usePlace();
  return useMutation({
    mutationFn: (changed: Settings) => place.client.review.configure({ ...changed, projectId: place.projectId }),
    onSuccess: ({ queue }) => {
      queries.setQueryData(queueQuery(place).queryKey, queue);
      return refresh(place, "review.list");
    },
  });
}
