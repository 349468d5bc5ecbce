import type { Schema } from "../../stores/schema.ts";

export type SetupRow = Schema["monitoring_setups"];
export type MonitoredAgentRow = Schema["monitored_agents"];
export type FailureRow = Schema["import_failures"];

/** A monitored agent with its setup and project, by their ids. */
export type MonitoredAgentIds = { projectId: string; setupId: string; agentId: string; platformAgentId: string };
