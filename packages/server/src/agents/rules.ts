import {
  type Agent,
  type AgentPlatform,
  connectionOption,
  type Modality,
  type NewConnection,
  type operations,
} from "@svc/contract";
import type { z } from "zod";
import { AppError } from "../errors.ts";
import type { Schema } from "../stores/schema.ts";

type Sent = z.output<(typeof operations.agents.register)["body"]>;

/** An agent as it is read: with what its platform_a connections say that it speaks. */
export type AgentRow = Schema["agents"] & { platform_a_modality: Modality | null };

/** What the monitoring of a project knows of one of its agents. */
type MonitoringOfAgent = {
  keyPresent: boolean;
  keyHint: string | null;
  pull: boolean;
  configured: boolean;
  lastReceivedAt: string | null;
};

/** By ids on platform_a. */
export type MonitoringOfAgents = (
  projectId: string,
  platformAgentIds: string[],
) => Promise<Map<string, MonitoringOfAgent>>;

export type NewAgent = { name: string; platform: AgentPlatform; platformAgentId: string | null };

export function decideAgent({ name, agentPlatform, platformAgentId, connection }: Sent): NewAgent {
  const platform = agentPlatform ?? (connection && platformOf(connection)) ?? "custom";
  return { name, platform, platformAgentId: platformAgentId ?? null };
}

const platformOf = ({ connectionType }: z.output<typeof NewConnection>) =>
  connectionOption(connectionType).agentPlatform;

/** The same platform agent is registered once; an archived one is restored, and not registered beside itself. */
export function refuseArchivedTwin(known: AgentRow): void {
  if (known.archived_at === null) return;
  throw new AppError(
    "conflict",
    `This platform agent is registered as ${known.id}, which is archived; restore it (POST /v1/agents/${known.id}/restore).`,
    { agentId: known.id },
  );
}

export function refuseArchived(agent: AgentRow): void {
  if (agent.archived_at === null) return;
  throw new AppError("conflict", "The agent is archived; restore it, then edit it.");
}

/** The ids by which monitoring knows the agents among these. */
export const monitoredIds = (agents: readonly AgentRow[]): string[] =>
  agents.flatMap((agent) => monitoredId(agent) ?? []);

const monitoredId = ({ agent_platform, platform_agent_id }: AgentRow): string | undefined =>
  agent_platform === "platform_a" ? (platform_agent_id ?? undefined) : undefined;

export function presentAgent(row: AgentRow, monitored: ReadonlyMap<string, MonitoringOfAgent>): Agent {
  const monitoring = monitored.get(monitoredId(row) ?? "");
  // Only voice agents can be chosen for monitoring.
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
    lastReceivedAt: monitoring?.lastReceivedAt ?? null,
    archived: row.archived_at !== null,
    archivedAt: row.archived_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
