/**
 * The platform that runs an agent: `platform_a` is a hosted platform with the Retell API, `platform_b_agents` is a LiveKit
 * Agents worker, `custom` is any other.
 */
export const AGENT_PLATFORMS = ["platform_a", "platform_b_agents", "custom"] as const;
/** A platform of `AGENT_PLATFORMS`. */
export type AgentPlatform = (typeof AGENT_PLATFORMS)[number];

/** The names that people know, by the names of platforms in the API. */
const PLATFORM_NAMES: Partial<Record<string, string>> = {
  platform_a: "Retell",
  platform_b: "LiveKit Agents",
  platform_b_agents: "LiveKit Agents",
  "platform_b-agents": "LiveKit Agents",
  custom: "Custom",
};

/** Returns the name of a platform for people; a name that the table lacks stays as it is. */
export const platformName = (platform: string): string => PLATFORM_NAMES[platform] ?? platform;

/** The kinds of conversation on a connection: speech, or text only. */
export const MODALITIES = ["voice", "chat"] as const;
/** A modality of `MODALITIES`. */
export type Modality = (typeof MODALITIES)[number];

/**
 * Who opens the connection: the hosted platform connects both sides (`hosted-broker`), the agent connects to the service
 * (`agent-dials-out`), or the service connects to the agent (`svc-dials-in`).
 */
export const TOPOLOGIES = ["hosted-broker", "agent-dials-out", "svc-dials-in"] as const;
