import { queryOptions } from "@tanstack/react-query";
import type { ProjectPlace } from "../shell/place.ts";
import { type Period, periodQuery } from "../periods.ts";

const LIVE_MS = 60_000;

export type MetricsFilter = { period: Period; source: "production" | "simulation"; agent: string | undefined };

/** All measures of a period, per agent. */
export const metricsQuery = (
  { client, organizationId, projectId }: ProjectPlace,
  { period, source, agent }: MetricsFilter,
) =>
  queryOptions({
    queryKey: [organizationId, projectId, "metrics.get", period, source, agent],
    queryFn: ({ signal }) => client.metrics.get({ projectId, ...periodQuery(period), source, agent }, { signal }),
    refetchInterval: LIVE_MS,
    placeholderData: (before) => before,
  });

/** The tools of a period, per agent. */
export const toolsQuery = (
  { client, organizationId, projectId }: ProjectPlace,
  { period, source, agent }: MetricsFilter,
) =>
  queryOptions({
    queryKey: [organizationId, projectId, "metrics.tools", period, source, agent],
    queryFn: ({ signal }) => client.metrics.tools({ projectId, ...periodQuery(period), source, agent }, { signal }),
    refetchInterval: LIVE_MS,
    placeholderData: (before) => before,
  });
