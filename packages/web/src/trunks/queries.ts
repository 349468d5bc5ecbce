import { queryOptions } from "@tanstack/react-query";
import { allOf } from "../queries.ts";
import type { ProjectPlace } from "../shell/place.ts";

const LIVE_MS = 10_000;

export const trunksQuery = ({ client, organizationId, projectId }: ProjectPlace) =>
  queryOptions({
    queryKey: [organizationId, projectId, "trunks.list"],
    queryFn: ({ signal }) => allOf(client.trunks.list, { projectId }, signal),
    refetchInterval: LIVE_MS,
  });
