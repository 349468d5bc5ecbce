import type { Schema } from "../../stores/schema.ts";

export type SetupRow = Schema["monitoring_setups"];
export type MonitoredAgentRow = Schema["monitored_agents"];
export type FailureRow = Schema["import_failures"];

/** `platformAgentId` is the agent's id on the platform. */
export type MonitoredAgentIds = { projectId: string; setupId: string; agentId: string; platformAgentId: string };
