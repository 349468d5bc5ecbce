/**
 * Platforms that run agents: `platform_a` is a hosted platform with the Retell API, `platform_b_agents` is a LiveKit Agents
 * worker, `custom` is any other platform.
 */
export const AGENT_PLATFORMS = ["platform_a", "platform_b_agents", "custom"] as const;
/** Platform that runs an agent. */
export type AgentPlatform = (typeof AGENT_PLATFORMS)[number];

/** Names of platforms for people, by their names in the API. */
const PLATFORM_NAMES: Partial<Record<string, string>> = {
  platform_a: "Retell",
  platform_b: "LiveKit Agents",
  platform_b_agents: "LiveKit Agents",
  "platform_b-agents": "LiveKit Agents",
  custom: "Custom",
};

/** Returns the name of a platform for people. Returns a name that the table lacks unchanged. */
export const platformName = (platform: string): string => PLATFORM_NAMES[platform] ?? platform;

/** Modalities of a connection: speech (`voice`), or text only (`chat`). */
export const MODALITIES = ["voice", "chat"] as const;
/** Modality of a connection. */
export type Modality = (typeof MODALITIES)[number];

/**
 * Parties that open a connection: a hosted platform connects the agent and the service (`hosted-broker`), the agent connects
 * outward (`agent-dials-out`), or the service connects to the agent (`svc-dials-in`).
 */
export const TOPOLOGIES = ["hosted-broker", "agent-dials-out", "svc-dials-in"] as const;
