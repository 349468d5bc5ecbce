import { type Client } from "@svc/sdk";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { allOf } from "../queries.ts";

type Place = { client: Client; organizationId: string; projectId: string };

const LIVE_MS = 10_000;
const HOUR_MS = 3_600_000;
const COUNTED_DAYS = 7;
const RUNS_SHOWN = 10;

type AgentFilter = { search?: string | undefined; archived?: boolean };

export const agentsQuery = ({ client, organizationId, projectId }: Place, { search, archived = false }: AgentFilter) =>
  infiniteQueryOptions({
    queryKey: [organizationId, projectId, "agents.list", { search, archived }],
    queryFn: ({ signal, pageParam }) =>
      client.agents.list({ projectId, search, archived, pageToken: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextPageToken }) => nextPageToken ?? undefined,
    refetchInterval: LIVE_MS,
  });

export const agentQuery = ({ client, organizationId, projectId }: Place, agentId: string) =>
  queryOptions({
    queryKey: [organizationId, projectId, "agents.get", agentId],
    queryFn: ({ signal }) => client.agents.get({ projectId, agentId }, { signal }),
    refetchInterval: LIVE_MS,
  });

export const connectionsQuery = (
  { client, organizationId, projectId }: Place,
  agentId: string,
  { archived = false } = {},
) =>
  queryOptions({
    queryKey: [organizationId, projectId, "connections.list", agentId, { archived }],
    queryFn: ({ signal }) => allOf(client.connections.list, { projectId, agentId, archived }, signal),
  });

/** Connection types never change while the service runs. */
export const connectionOptionsQuery = ({ client, organizationId }: Pick<Place, "client" | "organizationId">) =>
  queryOptions({
    queryKey: [organizationId, "connectionOptions.list"],
    queryFn: ({ signal }) => client.connectionOptions.list({}, { signal }),
    staleTime: Infinity,
  });

/** A try is a whole conversation, so it takes longer than other requests. */
const TRY_TIMEOUT_MS = 90_000;

/** Another `count` starts another try. A failed try is not repeated. */
export const connectionTryQuery = (
  { client, organizationId, projectId }: Place,
  { agentId, id }: { agentId: string; id: string },
  count: number,
) =>
  queryOptions({
    queryKey: [organizationId, projectId, "connections.try", id, count],
    queryFn: ({ signal }) =>
      client.connections.try({ projectId, agentId, connectionId: id }, { signal, timeoutMs: TRY_TIMEOUT_MS }),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });

export const passRatesQuery = ({ client, organizationId, projectId }: Place, agentId: string, pageSize = RUNS_SHOWN) =>
  queryOptions({
    queryKey: [organizationId, projectId, "runs.passRatesOfAgent", agentId, pageSize],
    queryFn: ({ signal }) => client.runs.passRatesOfAgent({ projectId, agentId, pageSize }, { signal }),
    staleTime: 60_000,
  });

export const countsQuery = ({ client, organizationId, projectId }: Place) =>
  queryOptions({
    queryKey: [organizationId, projectId, "metrics.conversations", "of the agents list"],
    queryFn: ({ signal }) => {
      const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
      const from = new Date(hour - COUNTED_DAYS * 24 * HOUR_MS).toISOString();
      return client.metrics.conversations({ projectId, from, bucket: "day", source: "production" }, { signal });
    },
    staleTime: 60_000,
  });

export const mockToolsQuery = ({ client, organizationId, projectId }: Place) =>
  queryOptions({
    queryKey: [organizationId, projectId, "mockTools.list", "all"],
    queryFn: ({ signal }) => allOf(client.mockTools.list, { projectId }, signal),
  });
