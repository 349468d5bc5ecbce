import { type AgentPlatform, connectionOption, type Modality, type operations } from "@svc/contract";
import type { z } from "zod";
import { AppError } from "../base/errors.ts";
import type { Schema } from "../stores/schema.ts";
import { refuseStaleRevision } from "../base/versions.ts";

type EditBody = z.output<(typeof operations.agents.edit)["body"]>;
type RegisterBody = z.output<(typeof operations.agents.register)["body"]>;

/** An agent with the modality of its platform_a connections. */
export type AgentRow = Schema["agents"] & { platform_a_modality: Modality | null };

export type AgentContent = { name: string; platform: AgentPlatform; platformAgentId: string | null };

/** The platform defaults to the platform of the connection, and else to `custom`. */
export function decideAgent({ name, agentPlatform, platformAgentId, connection }: RegisterBody): AgentContent {
  const ofConnection = connection && connectionOption(connection.connectionType).agentPlatform;
  return { name, platform: agentPlatform ?? ofConnection ?? "custom", platformAgentId: platformAgentId ?? null };
}

export function refuseArchivedTwin(twin: AgentRow): void {
  if (twin.archived_at === null) return;
  throw new AppError(
    "conflict",
    `This platform agent is registered as ${twin.id}, which is archived; restore it (POST /v1/agents/${twin.id}/restore).`,
    { agentId: twin.id },
  );
}

export function decideAgentEdit(agent: AgentRow, { name, expectedRevision }: EditBody): string {
  if (agent.archived_at !== null) throw new AppError("conflict", "The agent is archived; restore it, then edit it.");
  refuseStaleRevision("agent", agent, expectedRevision);
  return name;
}

export const monitoredIds = (agents: readonly AgentRow[]): string[] =>
  agents.flatMap((agent) => monitoredId(agent) ?? []);

export const monitoredId = ({ agent_platform, platform_agent_id }: AgentRow): string | undefined =>
  agent_platform === "platform_a" ? (platform_agent_id ?? undefined) : undefined;
