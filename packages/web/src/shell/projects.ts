import { queryOptions } from "@tanstack/react-query";
import { allOf } from "../queries.ts";
import { clientOf } from "../client.ts";

/** Query for all projects of an organization. */
export const projectsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: [organizationId, "projects.list"],
    queryFn: async ({ signal }) => {
      const client = clientOf(organizationId);
      const projects = await allOf(client.projects.list, {}, signal);
      return { projects };
    },
    staleTime: 60_000,
  });
