import { queryOptions } from "@tanstack/react-query";
import type { ProjectPlace } from "./shell/place.ts";

const LIVE_MS = 30_000;

export const setupsQuery = ({ client, organizationId, projectId }: ProjectPlace) =>
  queryOptions({
    queryKey: [organizationId, projectId, "monitoring.list"],
    queryFn: async ({ signal }) => (await client.monitoring.list({ project: projectId }, { signal })).setups,
    refetchInterval: LIVE_MS,
  });
