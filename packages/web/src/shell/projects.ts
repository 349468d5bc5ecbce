import { queryOptions } from "@tanstack/react-query";
import { allOf } from "../queries.ts";
import { clientOf } from "../client.ts";

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
