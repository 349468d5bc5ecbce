import type { Routes } from "../http/operation.ts";
import type { Monitoring } from "./monitoring.ts";
import { platformNamed } from "./refusal-rules.ts";

export function monitoringRoutes(monitoring: Monitoring): Routes<"monitoring"> {
  return {
    monitoring: {
      list: async ({ project }) => ({ setups: await monitoring.list(project) }),

      discover: async ({ body }) => ({ agents: await monitoring.discover(body.api_key) }),

      savePlatformA: async ({ caller, project, body }) => {
        const { organizationId } = caller;
        const agentIds = body.agents.map(({ id }) => id);
        const { api_key: apiKey, fetch_recordings: fetchRecordings } = body;
        const owner = { ...project, organizationId };
        return { setup: await monitoring.savePlatformA(owner, { apiKey, agentIds, fetchRecordings }) };
      },

      savePlatformB: async ({ project }) => ({
        setup: await monitoring.savePlatformB(project),
      }),

      replay: ({ project, params }) => monitoring.replay(project, params.failureId),

      remove: ({ project, params }) => monitoring.remove(project, platformNamed(params.platform)),
    },
  };
}
