import type {
  ImportErrorKind,
  ImportFailure,
  MonitoredAgent,
  MonitoringHealth,
  MonitoringSetup,
  Scan,
} from "@svc/contract";
import type { z } from "zod";
import { importStateOf } from "./rules.ts";
import type { AgentWithFailures, SetupWithAgents } from "./store/setups.ts";
import type { FailureRow, MonitoredAgentRow, SetupRow } from "./store/rows.ts";

const STRATEGIES = { platform_a: "platform_a_api_polling", platform_b_agents: "platform_b_otlp" } as const;

export function presentSetup({ setup, hint, agents }: SetupWithAgents, lastReceivedAt: string | null): MonitoringSetup {
  return {
    id: setup.id,
    project_id: setup.project_id,
    agent_platform: setup.agent_platform,
    strategy: STRATEGIES[setup.agent_platform],
    credentials_hint: hint,
    health: presentHealth(setup),
    fetches_recordings: setup.fetches_recordings === 1,
    last_received_at: lastReceivedAt,
    agents: agents.map((agent) => presentAgent(setup, agent)),
    created_at: setup.created_at,
    updated_at: setup.updated_at,
  };
}

const presentHealth = (setup: SetupRow): z.output<typeof MonitoringHealth> => ({
  state: setup.health_state,
  blocked_until: setup.blocked_until,
  consecutive_failures: setup.consecutive_failures,
  last_error_at: setup.last_error_at,
  last_recovered_at: setup.last_recovered_at,
});

const presentAgent = (
  setup: SetupRow,
  { agent, imported, failures, openFailures }: AgentWithFailures,
): z.output<typeof MonitoredAgent> => ({
  id: agent.id,
  platform_agent_id: agent.platform_agent_id,
  platform_agent_name: agent.platform_agent_name,
  state: importStateOf({ firstIsDone: agent.polled_to_ms !== null, openFailures }),
  scan: presentScan(agent),
  imported,
  last_success_at: agent.last_success_at,
  last_conversation_at: agent.last_conversation_at,
  open_failures: openFailures,
  failures: failures.map((failure) => presentFailure(setup, failure)),
});

function presentScan(agent: MonitoredAgentRow): z.output<typeof Scan> | null {
  if (agent.scan_kind === null) return null;
  return {
    kind: agent.scan_kind,
    from: timestampOf(agent.scan_from_ms),
    to: timestampOf(agent.scan_to_ms),
    reached: timestampOf(agent.scan_reached_ms),
    pages: agent.scan_pages,
    imported: agent.scan_imported,
  };
}

const EXPLANATIONS: Record<ImportErrorKind, string> = {
  conversation_incomplete: "Retell does not have the whole conversation yet.",
  not_found: "Retell no longer has this call; it may have been deleted there.",
  unreadable: "Retell's answer for this call cannot be read.",
  too_large: "Retell's answer for this call is larger than the service reads.",
  provider_unavailable: "Retell gave no usable answer for this call.",
  internal: "The service could not store the call. Its log says why.",
};

const presentFailure = ({ blocked_until }: SetupRow, row: FailureRow): z.output<typeof ImportFailure> => ({
  id: row.id,
  provider_call_id: row.call_id,
  error_kind: row.error_kind,
  explanation: EXPLANATIONS[row.error_kind],
  attempts: row.attempts,
  status: "open",
  last_attempt_at: row.last_attempt_at,
  next_attempt_at: timestampOf(Math.max(row.next_attempt_ms, blocked_until === null ? 0 : Date.parse(blocked_until))),
  created_at: row.created_at,
});

const timestampOf = (ms: number | null) => new Date(ms!).toISOString();
