import { CONNECTION_OPTIONS, type Operations } from "@svc/contract";
import type { OperationRequest, Routes } from "../../http/operation.ts";
import { pageRequest } from "../../stores/page.ts";
import { decideConnection, decideConnectionEdit, decideConnectionRestore, presentConnection } from "./rules.ts";
import type { ConnectionStore, OfAgent, Owner } from "./store.ts";

export function connectionRoutes(store: ConnectionStore): Routes<"connectionOptions" | "connections"> {
  return {
    connectionOptions: {
      list: async () => ({ connectionOptions: [...CONNECTION_OPTIONS] }),
    },
    connections: {
      list: async ({ project, params, query }) => {
        const wanted = pageRequest("con", query.pageSize, query.pageToken);
        const { agent, page } = await store.list(project.id, params.agentId, query.archived, wanted);
        return { connections: page.items.map((row) => presentConnection(row, agent)), nextPageToken: page.next };
      },

      create: async (asked) =>
        present(
          await store.create(ownerOf(asked), asked.params.agentId, (agent) =>
            decideConnection(agent.agent_platform, asked.body),
          ),
        ),

      get: async ({ project, params }) => present(await store.get(project.id, params.agentId, params.connectionId)),

      edit: async (asked) => {
        const { agentId, connectionId } = asked.params;
        const decide = (current: OfAgent["connection"]) => decideConnectionEdit(current, asked.body);
        return present(await store.edit(ownerOf(asked), agentId, connectionId, decide));
      },

      archive: async ({ project, params }) =>
        present(await store.archive(project.id, params.agentId, params.connectionId)),

      restore: async ({ project, params }) =>
        present(await store.restore(project.id, params.agentId, params.connectionId, decideConnectionRestore)),
    },
  };
}

const present = ({ agent, connection }: OfAgent) => ({ connection: presentConnection(connection, agent) });

/** Where what is sealed belongs. */
export const ownerOf = ({
  project,
  caller,
}: Pick<OperationRequest<Operations["agents"]["register"]>, "project" | "caller">): Owner => ({
  projectId: project.id,
  organizationId: caller.organizationId,
});
