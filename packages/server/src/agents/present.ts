import type { Agent } from "@svc/contract";
import { type AgentRow, monitoredId } from "./rules.ts";

/** How the project's monitoring treats one of its agents. */
type AgentMonitoring = {
  keyPresent: boolean;
  keyHint: string | null;
  pull: boolean;
  configured: boolean;
  lastReceivedAt: string | null;
};

/** Returns the monitoring of agents by their ids on platform_a. */
export type MonitoringOfAgents = (
  projectId: string,
  platformAgentIds: string[],
) => Promise<Map<string, AgentMonitoring>>;

export function presentAgent(row: AgentRow, monitored: ReadonlyMap<string, AgentMonitoring>): Agent {
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
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
