import type { Schema } from "../../stores/schema.ts";

export type SetupRow = Schema["monitoring_setups"];
export type MonitoredAgentRow = Schema["monitored_agents"];
export type FailureRow = Schema["import_failures"];

/** The ids of a monitored agent, its setup and its project. */
export type MonitoredAgentIds = { projectId: string; setupId: string; agentId: string; platformAgentId: string };
