import {
  type AgentConnection,
  CONNECTION_OPTIONS,
  connectionOption,
  type ConnectionTry,
  type Operations,
} from "@svc/contract";
import type { Project } from "../../access/caller.ts";
import { withCurrent } from "../../base/versions.ts";
import { goneSignal } from "../../http/gone.ts";
import type { OperationRequest, Routes } from "../../http/operation.ts";
import { pageRequest } from "../../stores/page.ts";
import type { AgentRow } from "../rules.ts";
import { type ConnectionRow, decideConnection, decideConnectionEdit, decideConnectionRestore } from "./rules.ts";
import type { ConnectionOfAgent, ConnectionStore, CredentialOwner } from "./store.ts";

export type ConnectionNeeds = {
  tryConnection: (
    order: {
      project: Project;
      organizationId: string;
      agentId: string;
      connectionId: string;
      message?: string | undefined;
    },
    signal: AbortSignal,
  ) => Promise<ConnectionTry>;
};

export function connectionRoutes(
  store: ConnectionStore,
  { tryConnection }: ConnectionNeeds,
): Routes<"connectionOptions" | "connections"> {
  return {
    connectionOptions: {
      list: async () => ({ connectionOptions: [...CONNECTION_OPTIONS] }),
    },
    connections: {
      list: async ({ project, params, query }) => {
        const pageOf = pageRequest("con", query.pageSize, query.pageToken);
        const { agent, page } = await store.list(project.id, params.agentId, query.archived, pageOf);
        return { connections: page.items.map((row) => presentConnection(row, agent)), nextPageToken: page.next };
      },

      create: async (request) =>
        present(
          await store.create(ownerOf(request), request.params.agentId, (agent) =>
            decideConnection(agent.agent_platform, request.body),
          ),
        ),

      get: async ({ project, params }) => present(await store.get(project.id, params.agentId, params.connectionId)),

      edit: async (request) => {
        const { agentId, connectionId } = request.params;
        const decide = (current: ConnectionOfAgent["connection"]) => decideConnectionEdit(current, request.body);
        return present(
          await withCurrent(
            () => store.edit(ownerOf(request), agentId, connectionId, decide),
            async () => present(await store.get(request.project.id, agentId, connectionId)).connection,
          ),
        );
      },

      try: ({ caller, project, params, body, http }) =>
        tryConnection({ project, organizationId: caller.organizationId, ...params, ...body }, goneSignal(http.res)),

      archive: async ({ project, params }) =>
        present(await store.archive(project.id, params.agentId, params.connectionId)),

      restore: async ({ project, params }) =>
        present(await store.restore(project.id, params.agentId, params.connectionId, decideConnectionRestore)),
    },
  };
}

const present = ({ agent, connection }: ConnectionOfAgent) => ({ connection: presentConnection(connection, agent) });

/** Returns the project and the organization of a request; they own the sealed credentials that the request stores. */
export const ownerOf = ({
  project,
  caller,
}: Pick<OperationRequest<Operations["agents"]["register"]>, "project" | "caller">): CredentialOwner => ({
  projectId: project.id,
  organizationId: caller.organizationId,
});

export function presentConnection(row: ConnectionRow, agent: AgentRow): AgentConnection {
  const option = connectionOption(row.connection_type);
  return {
    id: row.id,
    agentId: agent.id,
    projectId: agent.project_id,
    name: row.name,
    agentPlatform: option.agentPlatform ?? agent.agent_platform,
    connectionType: row.connection_type,
    accessVariant: row.access_variant,
    modality: row.modality,
    productLabel: option.productLabel,
    topology: option.topology,
    environment: row.environment,
    config: JSON.parse(row.config),
    credentialPresent: row.hint !== null,
    credentialsHint: row.hint,
    archived: row.archived_at !== null,
    archivedAt: row.archived_at,
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
