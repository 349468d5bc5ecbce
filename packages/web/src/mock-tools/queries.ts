import { type Answer, type Operations } from "@svc/sdk";
import { queryOptions } from "@tanstack/react-query";
import { allOf } from "../queries.ts";
import type { ProjectPlace } from "../shell/place.ts";

export type ProjectMockTool = Answer<Operations["mockTools"]["get"]>["mockTool"];

export const agentNamesQuery = ({ client, organizationId, projectId }: ProjectPlace) =>
  queryOptions({
    queryKey: [organizationId, projectId, "agents.list", "names"],
    queryFn: async ({ signal }) => {
      const agents = await allOf(client.agents.list, { projectId }, signal);
      return agents.map(({ id, name }) => ({ id, name }));
    },
  });
