import { queryOptions } from "@tanstack/react-query";
import type { Channel, MeasureName } from "@svc/contract/constants";
import { type Period, periodQuery, type RangeQuery } from "../periods.ts";
import type { ProjectPlace } from "../shell/place.ts";

const LIVE_MS = 60_000;

/** What every request of the page selects. `agent` are names of agents; undefined: all of them. */
export type Selection = {
  source: "production" | "simulation";
  agent: string | string[] | undefined;
  agentVersion: string | string[] | undefined;
  channel: Channel | undefined;
  byVersion?: true;
};

const live = { refetchInterval: LIVE_MS, placeholderData: <T>(before: T) => before };

export const metricsQuery = (
  { client, organizationId, projectId }: ProjectPlace,
  range: RangeQuery | undefined,
  selection: Selection,
  measures: readonly MeasureName[],
) =>
  queryOptions({
    queryKey: [organizationId, projectId, "metrics.get", range, selection, measures],
    queryFn: ({ signal }) =>
      client.metrics.get({ projectId, ...range, ...selection, measure: measures.join(",") }, { signal }),
    enabled: range !== undefined,
    ...live,
  });

export const conversationCountsQuery = (
  { client, organizationId, projectId }: ProjectPlace,
  range: RangeQuery,
  selection: Selection,
) =>
  queryOptions({
    queryKey: [organizationId, projectId, "metrics.conversations", range, selection],
    queryFn: ({ signal }) => client.metrics.conversations({ projectId, ...range, ...selection }, { signal }),
    ...live,
  });

export const toolsQuery = (
  { client, organizationId, projectId }: ProjectPlace,
  range: RangeQuery,
  selection: Selection,
) =>
  queryOptions({
    queryKey: [organizationId, projectId, "metrics.tools", range, selection],
    queryFn: ({ signal }) => client.metrics.tools({ projectId, ...range, ...selection }, { signal }),
    ...live,
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
