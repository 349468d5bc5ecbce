import type { Client } from "@svc/sdk";
import { queryOptions } from "@tanstack/react-query";

/** The names that the palette finds: the newest of each kind. */
const NEWEST = 200;

/** The tests, agents and runs of a project by name. */
export const namesQuery = (client: Client, organizationId: string, projectId: string | undefined) =>
  queryOptions({
    queryKey: [organizationId, projectId, "palette"],
    queryFn: async ({ signal }) => {
      const [tests, agents, runs] = await Promise.all([
        client.tests.list({ project: projectId, limit: NEWEST }, { signal }),
        client.agents.list({ projectId, pageSize: NEWEST }, { signal }),
        client.runs.list({ projectId, pageSize: NEWEST }, { signal }),
      ]);
      return { tests: tests.items, agents: agents.agents, runs: runs.runs };
    },
    enabled: projectId !== undefined,
    staleTime: 30_000,
  });
