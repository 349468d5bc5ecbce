import { AGENT_PLATFORMS, platformName } from "@svc/contract/constants";
import type { Answer, Operations } from "@svc/sdk";
import { formatPlural } from "../ui/format.ts";

export type Agent = Answer<Operations["agents"]["get"]>["agent"];
type MonitoringSetup = Answer<Operations["monitoring"]["list"]>["setups"][number];
type MockTool = Answer<Operations["mockTools"]["list"]>["mockTools"][number];

export const PLATFORM_CHOICES = AGENT_PLATFORMS.map((value) => ({ value, label: platformName(value) }));

type MonitoringWords = { state: "off" | "importing" | "active" | "degraded" | "sending"; words: string };

export function monitoringOf(agent: Agent, setups: readonly MonitoringSetup[]): MonitoringWords {
  const monitored = setups
    .flatMap(({ agents }) => agents)
    .find(({ platform_agent_id }) => platform_agent_id === agent.platformAgentId);
  if (agent.agentPlatform === "platform_a" && monitored) {
    const { state, imported, open_failures } = monitored;
    const failures = open_failures > 0 ? `, ${open_failures} not imported` : "";
    return { state, words: `${STATES[state]}: ${formatPlural(imported, "call")} imported${failures}` };
  }
  if (agent.lastReceivedAt !== null) return { state: "sending", words: "Its conversations arrive as traces" };
  return { state: "off", words: "No production conversation has arrived" };
}

const STATES = {
  importing: "The first import runs",
  active: "Imports are up to date",
  degraded: "Imports fail",
} as const;

/** A tool without agent ids applies to every agent. */
export const mockToolsOf = (tools: readonly MockTool[], agentId: string): MockTool[] =>
  tools.filter(({ agentIds }) => agentIds.length === 0 || agentIds.some((id) => id === agentId));
