import type { Routes } from "../http/operation.ts";
import { pageRequest } from "../stores/page.ts";
import { ownerOf } from "./connections/routes.ts";
import { decideConnection, presentConnection } from "./connections/rules.ts";
import { type AgentRow, decideAgent, type MonitoringOfAgents, monitoredIds, presentAgent } from "./rules.ts";
import type { AgentStore } from "./store.ts";

/** What other features know and do for agents. */
export type AgentNeeds = {
  monitoringOf: MonitoringOfAgents;
  /** Cancels what still runs over the agent, and says how many runs that were. */
  cancelRuns: (agentId: string) => Promise<number>;
};

export function agentRoutes(store: AgentStore, { monitoringOf, cancelRuns }: AgentNeeds): Routes<"agents"> {
  async function presented(projectId: string, rows: AgentRow[]) {
    const ids = monitoredIds(rows);
    const monitored = ids.length === 0 ? new Map() : await monitoringOf(projectId, ids);
    return rows.map((row) => presentAgent(row, monitored));
  }
  const present = async (row: AgentRow) => (await presented(row.project_id, [row]))[0]!;

  return {
    agents: {
      list: async ({ project, query }) => {
        const page = await store.list(project.id, query, pageRequest("agt", query.pageSize, query.pageToken));
        return { agents: await presented(project.id, page.items), nextPageToken: page.next };
      },

      register: async (asked) => {
        const { body, http } = asked;
        const { result, agent, connection } = await store.register(
          ownerOf(asked),
          decideAgent(body),
          ({ agent_platform }) => body.connection && decideConnection(agent_platform, body.connection, "connection."),
        );
        if (result === "reused") http.state.status = 200;
        return {
          result,
          agent: await present(agent),
          ...(connection && { connection: presentConnection(connection, agent) }),
        };
      },

      get: async ({ project, params }) => ({
        agent: await present(await store.get(project.id, params.agentId)),
      }),

      edit: async ({ project, params, body }) => ({
        agent: await present(await store.rename(project.id, params.agentId, body.name)),
      }),

      archive: async ({ project, params }) => {
        const { agent, archivedConnections } = await store.archive(project.id, params.agentId);
        const canceledRunCount = await cancelRuns(agent.id);
        return {
          agent: await present(agent),
          archivedConnections: archivedConnections.map((row) => presentConnection(row, agent)),
          canceledRunCount,
        };
      },

      restore: async ({ project, params, body }) => ({
        agent: await present(await store.restore(project.id, params.agentId, body.name)),
      }),
    },
  };
}
