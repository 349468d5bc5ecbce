import type { Channel } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import type { ProjectPlace } from "../shell/place.ts";
import { type Period, periodQuery } from "../periods.ts";

const LIVE_MS = 60_000;

export type MetricsFilter = {
  period: Period;
  source: "production" | "simulation";
  agent: string | undefined;
  version: string | undefined;
  channel: Channel | undefined;
  byVersion: boolean;
  byChannel: boolean;
};

type Selection = Pick<MetricsFilter, "version" | "channel" | "byVersion" | "byChannel">;

const selectionOf = ({ version, channel, byVersion, byChannel }: Selection) => ({
  agentVersion: version,
  channel,
  ...(byVersion && { byVersion }),
  ...(byChannel && { byChannel }),
});

export const metricsQuery = (
  { client, organizationId, projectId }: ProjectPlace,
  { period, source, agent, ...selection }: MetricsFilter,
) =>
  queryOptions({
    queryKey: [organizationId, projectId, "metrics.get", period, source, agent, selection],
    queryFn: ({ signal }) =>
      client.metrics.get({ projectId, ...periodQuery(period), source, agent, ...selectionOf(selection) }, { signal }),
    refetchInterval: LIVE_MS,
    placeholderData: (before) => before,
  });

export const toolsQuery = (
  { client, organizationId, projectId }: ProjectPlace,
  { period, source, agent, ...selection }: MetricsFilter,
) =>
  queryOptions({
    queryKey: [organizationId, projectId, "metrics.tools", period, source, agent, selection],
    queryFn: ({ signal }) =>
      client.metrics.tools({ projectId, ...periodQuery(period), source, agent, ...selectionOf(selection) }, { signal }),
    refetchInterval: LIVE_MS,
    placeholderData: (before) => before,
  });

type ComparisonChoice = { agent: string; version: string; with: string; period: Period };

export const versionComparisonQuery = (
  { client, organizationId, projectId }: ProjectPlace,
  { period, ...choice }: ComparisonChoice,
) =>
  queryOptions({
    queryKey: [organizationId, projectId, "agentVersions.compare", period, choice],
    queryFn: async ({ signal }) => {
      const { from } = periodQuery(period);
      return (await client.agentVersions.compare({ projectId, ...choice, from }, { signal })).comparison;
    },
    staleTime: LIVE_MS,
  });
