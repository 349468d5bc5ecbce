import { pages } from "@svc/sdk";
import { queryOptions } from "@tanstack/react-query";
import { clientOf } from "../client.ts";

/** Every project of an organization. */
export const projectsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: [organizationId, "projects.list"],
    queryFn: async ({ signal }) => {
      const client = clientOf(organizationId);
      const projects = await Array.fromAsync(pages(client.projects.list, { pageSize: 200 }, { signal }));
      return { projects };
    },
    staleTime: 60_000,
  });
