import type { ServiceContext } from "../context.ts";
import type { Routes } from "../http/operation.ts";
import type { Traces } from "../traces/open.ts";
import type { Recordings } from "../voice/recordings/open.ts";
import { type Monitoring, startMonitoring } from "./monitoring.ts";
import { createFetchRecording } from "./platform-a/fetch-recording.ts";
import type { Pace } from "./platform-a/pace.ts";
import { platformNamed } from "./refusal-rules.ts";

export function openMonitoring(
  { config, db, sealed, log, notices }: ServiceContext,
  { reader, intake, deleted }: Traces,
  recordings: Recordings,
  pace?: Partial<Pace>,
) {
  const monitoring = startMonitoring({
    db,
    sealed,
    intake,
    lastSentMs: reader.lastSentMs,
    fetchRecording: createFetchRecording({
      recordings,
      isDeleted: deleted.isDeleted,
      log,
      privateAddresses: config.outboundPrivate ? "allow" : "refuse",
    }),
    log,
    notices,
    baseUrl: config.platformABaseUrl,
    pace,
  });
  return { ...monitoring, routes: monitoringRoutes(monitoring) };
}

function monitoringRoutes(monitoring: Monitoring): Routes<"monitoring"> {
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
