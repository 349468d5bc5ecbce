import type { MonitoringSetup } from "@svc/contract";
import { platformName } from "@svc/contract/constants";
import { facts, table } from "../terminal/output.ts";
import { ago, moment } from "../terminal/times.ts";
import { importProgress, isImporting } from "./import-progress.ts";

export function setupText(setup: MonitoringSetup): string {
  const parts = [setupFacts(setup)];
  if (isImporting(setup)) parts.push(importProgress(setup));
  if (setup.agents.length > 0) parts.push(agentTable(setup));
  if (setup.agents.some(({ failures }) => failures.length > 0)) parts.push(failureTable(setup));
  return parts.join("\n\n");
}

function setupFacts(setup: MonitoringSetup): string {
  const { agent_platform, credentials_hint, health, fetches_recordings, last_received_at } = setup;
  const received = last_received_at ? ago(last_received_at) : "nothing yet";
  return facts([
    ["platform", platformName(agent_platform)],
    ["key", credentials_hint === null ? undefined : `…${credentials_hint}`],
    ["health", agent_platform === "platform_a" ? healthText(health) : undefined],
    ["recordings", agent_platform === "platform_a" ? (fetches_recordings ? "fetched" : "not fetched") : undefined],
    ["last received", received],
    [
      "next",
      agent_platform === "platform_b_agents" && last_received_at === null
        ? "call monitor_platform_b(ctx) in the worker, and set SVC_URL and SVC_API_KEY for it"
        : undefined,
    ],
  ]);
}

function healthText({ state, blocked_until, consecutive_failures }: MonitoringSetup["health"]): string {
  if (state === "healthy") return "healthy";
  const again = blocked_until ? `, next try at ${moment(blocked_until)}` : "";
  const advice = state === "invalid_credential" ? "; set a working key with `svc monitoring connect`" : "";
  return `${state.replaceAll("_", " ")} (${consecutive_failures} times in a row${again})${advice}`;
}

const agentTable = ({ agents }: MonitoringSetup) =>
  table(
    agents,
    [
      { title: "agent", cell: (agent) => agent.platform_agent_id, cut: true },
      { title: "state", cell: ({ state }) => state },
      { title: "failures", cell: ({ open_failures }) => String(open_failures), right: true },
      { title: "last scan", cell: (agent) => (agent.last_success_at ? ago(agent.last_success_at) : "none yet") },
      {
        title: "newest call",
        cell: (agent) => (agent.last_conversation_at ? ago(agent.last_conversation_at) : "none"),
      },
      { title: "name", cell: (agent) => agent.platform_agent_name },
    ],
    "",
  );

const failureTable = ({ agents }: MonitoringSetup) =>
  table(
    agents.flatMap(({ failures }) => failures),
    [
      { title: "failure", cell: ({ id }) => id },
      { title: "reason", cell: ({ error_kind }) => error_kind.replaceAll("_", " ") },
      { title: "attempts", cell: ({ attempts }) => String(attempts), right: true, spare: 2 },
      { title: "last attempt", cell: ({ last_attempt_at }) => ago(last_attempt_at), spare: 1 },
      { title: "call", cell: ({ provider_call_id }) => provider_call_id },
    ],
    "",
  ) + "\n\nTo try one again: svc monitoring replay FAILURE";
