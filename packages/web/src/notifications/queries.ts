import type { DeliveryState, EVENT_TYPES } from "@svc/contract/constants";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { allOf } from "../queries.ts";
import type { ProjectPlace } from "../shell/place.ts";

const LIVE_MS = 10_000;
/** Interval of requests while events wait to be sent, and for the list of deliveries. */
const SENDING_MS = 2_000;
const PAGE_SIZE = 20;

export type SubscribedType = (typeof EVENT_TYPES)[number];

export const destinationsQuery = ({ client, organizationId, projectId }: ProjectPlace) =>
  queryOptions({
    queryKey: [organizationId, projectId, "destinations.list"],
    queryFn: ({ signal }) => allOf(client.destinations.list, { projectId }, signal),
    refetchInterval: ({ state }) =>
      state.data?.some(({ waitingCount, paused, failing }) => waitingCount > 0 && !paused && !failing)
        ? SENDING_MS
        : LIVE_MS,
  });

export const deliveryPages = (
  { client, organizationId, projectId }: ProjectPlace,
  destinationId: string,
  state: DeliveryState | undefined,
) =>
  infiniteQueryOptions({
    queryKey: [organizationId, projectId, "destinations.deliveries", destinationId, { state }],
    queryFn: ({ signal, pageParam }) =>
      client.destinations.deliveries(
        { projectId, destinationId, state, pageSize: PAGE_SIZE, pageToken: pageParam },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextPageToken }) => nextPageToken ?? undefined,
    refetchInterval: SENDING_MS,
  });

export const eventPages = ({ client, organizationId, projectId }: ProjectPlace, type: SubscribedType | undefined) =>
  infiniteQueryOptions({
    queryKey: [organizationId, projectId, "events.list", { type }],
    queryFn: ({ signal, pageParam }) =>
      client.events.list({ projectId, type, pageSize: PAGE_SIZE, pageToken: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextPageToken }) => nextPageToken ?? undefined,
    refetchInterval: LIVE_MS,
  });

export const agentNamesQuery = ({ client, organizationId, projectId }: ProjectPlace) =>
  queryOptions({
    queryKey: [organizationId, projectId, "agents.list", "names of destinations"],
    queryFn: async ({ signal }) => (await allOf(client.agents.list, { projectId }, signal)).map(({ name }) => name),
  });
