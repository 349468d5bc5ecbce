import { queryOptions } from "@tanstack/react-query";
import { clientOf } from "../client.ts";

/** The first 200 projects of an organization. */
export const projectsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: [organizationId, "projects"],
    queryFn: ({ signal }) => clientOf(organizationId).projects.list({ pageSize: 200 }, { signal }),
    staleTime: 60_000,
  });
