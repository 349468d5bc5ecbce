import { type AgentConnection, connectionOption } from "@svc/contract";
import type { AgentRow } from "../rules.ts";
import type { ConnectionRow } from "./rules.ts";

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
