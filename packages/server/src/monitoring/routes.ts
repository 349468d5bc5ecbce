import { operations } from "@svc/contract";
import { type Route, route } from "../http/operation.ts";
import type { Monitoring } from "./monitoring.ts";
import { platformNamed } from "./rules.ts";

export function monitoringRoutes(monitoring: Monitoring): Route[] {
  return [
    route(operations.monitoring.list, async ({ project }) => ({ setups: await monitoring.list(project) })),

    route(operations.monitoring.discover, async ({ body }) => ({ agents: await monitoring.discover(body.api_key) })),

    route(operations.monitoring.savePlatformA, async ({ caller, project, body }) => {
      const { organizationId } = caller;
      const agentIds = body.agents.map(({ id }) => id);
      return { setup: await monitoring.savePlatformA({ ...project, organizationId }, body.api_key, agentIds) };
    }),

    route(operations.monitoring.savePlatformB, async ({ project }) => ({
      setup: await monitoring.savePlatformB(project),
    })),

    route(operations.monitoring.replay, ({ project, params }) => monitoring.replay(project, params.failureId)),

    route(operations.monitoring.remove, ({ project, params }) =>
      monitoring.remove(project, platformNamed(params.platform)),
    ),
  ];
}
