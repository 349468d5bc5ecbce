import { type Answer, type Operations, pages } from "@svc/sdk";
import { queryOptions } from "@tanstack/react-query";
import type { ProjectPlace } from "../frame/place.ts";

export type ProjectMockTool = Answer<Operations["mockTools"]["get"]>["mockTool"];

/** Every mock tool of the project, newest first. */
export const mockToolsQuery = ({ client, organizationId, projectId }: ProjectPlace) =>
  queryOptions({
    queryKey: [organizationId, projectId, "mockTools.list"],
    queryFn: ({ signal }) => Array.fromAsync(pages(client.mockTools.list, { projectId, pageSize: 200 }, { signal })),
  });

/** The names of the project's live agents, by id. */
export const agentNamesQuery = ({ client, organizationId, projectId }: ProjectPlace) =>
  queryOptions({
    queryKey: [organizationId, projectId, "agents.list", "names"],
    queryFn: async ({ signal }) => {
      const agents = await Array.fromAsync(pages(client.agents.list, { projectId, pageSize: 200 }, { signal }));
      return agents.map(({ id, name }) => ({ id, name }));
    },
  });
