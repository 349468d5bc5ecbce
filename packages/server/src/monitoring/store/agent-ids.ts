/** A monitored agent with its setup and project, by their ids. */
export type MonitoredAgentIds = { projectId: string; setupId: string; agentId: string; platformAgentId: string };
