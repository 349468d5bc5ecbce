import { tokenPages } from "@svc/sdk";
import { queryOptions } from "@tanstack/react-query";
import { clientOf } from "../client.ts";

/** Every project of an organization. */
export const projectsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: [organizationId, "projects.list"],
    queryFn: async ({ signal }) => {
      const client = clientOf(organizationId);
      const list = (pageToken?: string) => client.projects.list({ pageSize: 200, pageToken }, { signal });
      const projects = await Array.fromAsync(tokenPages("projects", list));
      return { projects };
    },
    staleTime: 60_000,
  });
