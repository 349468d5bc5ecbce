import type { Agent } from "@svc/contract";
import type { Project } from "../access/caller.ts";
import { withCurrent } from "../base/versions.ts";
import type { Routes } from "../http/operation.ts";
import { pageRequest } from "../stores/page.ts";
import { ownerOf, presentConnection } from "./connections/routes.ts";
import { decideConnection } from "./connections/rules.ts";
import { type AgentRow, decideAgent, decideAgentEdit, monitoredId, monitoredIds } from "./rules.ts";
import type { AgentStore } from "./store/agents.ts";

export type AgentNeeds = {
  monitoringOf: MonitoringOfAgents;
  /** Returns the arrival of the newest production conversation of each agent that has one. */
  lastOfAgents: (project: number, names: string[]) => Promise<{ agent: string; lastReceivedMs: number }[]>;
  cancelRuns: (agentId: string) => Promise<number>;
};

export function agentRoutes(
  store: AgentStore,
  { monitoringOf, lastOfAgents, cancelRuns }: AgentNeeds,
): Routes<"agents"> {
  async function presentAll(project: Project, rows: AgentRow[]) {
    const ids = monitoredIds(rows);
    const monitored = ids.length === 0 ? new Map() : await monitoringOf(project.id, ids);
    const names = [...new Set(rows.map(({ name }) => name))];
    const newest = names.length === 0 ? [] : await lastOfAgents(project.number, names);
    const lastMs = new Map(newest.map(({ agent, lastReceivedMs }) => [agent, lastReceivedMs]));
    return rows.map((row) => presentAgent(row, monitored, lastMs.get(row.name)));
  }
  const present = async (project: Project, row: AgentRow) => (await presentAll(project, [row]))[0]!;

  return {
    agents: {
      list: async ({ project, query }) => {
        const page = await store.list(project.id, query, pageRequest("agt", query.pageSize, query.pageToken));
        return { agents: await presentAll(project, page.items), nextPageToken: page.next };
      },

      register: async (request) => {
        const { body, http, project } = request;
        const { result, agent, connection } = await store.register(
          ownerOf(request),
          decideAgent(body),
          ({ agent_platform }) => body.connection && decideConnection(agent_platform, body.connection, "connection."),
        );
        if (result === "reused") http.state.status = 200;
        return {
          result,
          agent: await present(project, agent),
          ...(connection && { connection: presentConnection(connection, agent) }),
        };
      },

      get: async ({ project, params }) => ({
        agent: await present(project, await store.get(project.id, params.agentId)),
      }),

      edit: async ({ project, params, body }) => ({
        agent: await present(
          project,
          await withCurrent(
            () => store.edit(project.id, params.agentId, (agent) => decideAgentEdit(agent, body)),
            async () => present(project, await store.get(project.id, params.agentId)),
          ),
        ),
      }),

      archive: async ({ project, params }) => {
        const { agent, archivedConnections } = await store.archive(project.id, params.agentId);
        const canceledRunCount = await cancelRuns(agent.id);
        return {
          agent: await present(project, agent),
          archivedConnections: archivedConnections.map((row) => presentConnection(row, agent)),
          canceledRunCount,
        };
      },

      restore: async ({ project, params, body }) => ({
        agent: await present(project, await store.restore(project.id, params.agentId, body.name)),
      }),
    },
  };
}

type AgentMonitoring = {
  keyPresent: boolean;
  keyHint: string | null;
  pull: boolean;
  configured: boolean;
  lastReceivedAt: string | null;
};

type MonitoringOfAgents = (projectId: string, platformAgentIds: string[]) => Promise<Map<string, AgentMonitoring>>;

function presentAgent(
  row: AgentRow,
  monitored: ReadonlyMap<string, AgentMonitoring>,
  lastMs: number | undefined,
): Agent {
  const monitoring = monitored.get(monitoredId(row) ?? "");
  // Only voice agents can be chosen for monitoring, so a monitored agent has the modality `voice`.
  const modality = monitoring?.configured ? "voice" : row.platform_a_modality;
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    agentPlatform: row.agent_platform,
    platformAgentId: row.platform_agent_id,
    platformAModality: row.agent_platform === "platform_a" ? modality : null,
    monitoringKeyPresent: monitoring?.keyPresent ?? false,
    monitoringApiKeyHint: monitoring?.keyHint ?? null,
    pullProductionCalls: monitoring?.pull ?? false,
    monitoringConfigured: monitoring?.configured ?? false,
    lastReceivedAt: newerOf(lastMs, monitoring?.lastReceivedAt ?? null),
    archived: row.archived_at !== null,
    archivedAt: row.archived_at,
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** An imported call has the name that the agent has on its platform, so both times count. */
function newerOf(lastMs: number | undefined, lastImport: string | null): string | null {
  if (lastMs === undefined) return lastImport;
  return new Date(Math.max(lastMs, Date.parse(lastImport ?? "") || 0)).toISOString();
}
