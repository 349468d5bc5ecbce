import type { SimulationSummary } from "@svc/contract";

type Reason = NonNullable<SimulationSummary["endingReason"]>;
type Party = NonNullable<SimulationSummary["endedBy"]>;

const REASONS: Record<Reason, string> = {
  agent_ended: "The agent ended the conversation",
  transferred: "The agent transferred the caller",
  agent_never_joined: "The agent never answered",
  agent_silent: "The agent stopped speaking",
  agent_error: "The agent answered with an error",
  persona_concluded: "The caller was done",
  turn_limit: "The limit of turns was reached",
  time_limit: "The time limit was reached",
  simulator_error: "The simulator failed",
  orphaned: "The service stopped during every attempt",
  stalled: "The service stalled during every attempt",
  no_caller_lines: "The scenario gives the scripted caller no line",
  connection_refused: "Nothing answered at the connection’s address",
  worker_missing: "No worker took the call",
  worker_full: "The agent’s workers were full",
  media_unreachable: "The media server could not be reached",
  rate_limited: "The agent’s endpoint reported too many requests",
  credential_rejected: "The agent’s endpoint rejected the credential",
  canceled: "The run was canceled",
};

const PARTIES: Record<Party, string> = {
  agent: "the agent",
  caller: "the caller",
  limit: "a limit of the run",
  service: "this service",
  outside: "the network or the platform",
  canceled: "the end of the run",
};

/** Returns the reason of an ending in words. */
export const endingWords = (reason: Reason | null): string => (reason === null ? "It has not ended" : REASONS[reason]);

/** Returns the party that caused an ending in words. */
export const partyWords = (party: Party | null): string => (party === null ? "–" : PARTIES[party]);

/** Returns the sentence that says whose error spoiled a simulation; undefined when none did. */
export function errorOwner({ status, verdict, endedBy }: Pick<SimulationSummary, "status" | "verdict" | "endedBy">) {
  if (endedBy === null || (status !== "failed" && verdict !== "errored")) return undefined;
  if (endedBy === "service") return "This is an error of the service. It says nothing about the agent.";
  if (endedBy === "outside") return "The error is between the service and the agent. It says nothing about the agent.";
  if (endedBy === "agent") return "The error is the agent’s.";
  return undefined;
}
