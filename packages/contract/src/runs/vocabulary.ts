/**
 * Reasons why a simulation ends, each with its meaning and the party that caused the end: `agent` is the agent under test,
 * `caller` the simulated person, `limit` a limit of the run or of its trunk, `service` this service, `outside` the network or a platform between
 * the service and the agent, and `canceled` a user who canceled the run.
 */
export const ENDING_REASONS = {
  agent_ended: { by: "agent", meaning: "The agent ended the conversation." },
  transferred: { by: "agent", meaning: "The agent transferred the caller to someone else." },
  agent_never_joined: { by: "agent", meaning: "The agent was reachable but never answered." },
  no_answer: { by: "agent", meaning: "The call rang at the agent, and nobody answered." },
  agent_silent: {
    by: "agent",
    meaning: "The agent stopped speaking, even when the caller asked whether it was there.",
  },
  agent_error: { by: "agent", meaning: "The agent answered with an error or with an invalid answer." },
  persona_concluded: { by: "caller", meaning: "The caller reached their goal, had nothing more to say, or gave up." },
  turn_limit: { by: "limit", meaning: "The conversation reached the run's limit of turns." },
  time_limit: {
    by: "limit",
    meaning: "The conversation reached the run's time limit, or the longest call of its trunk.",
  },
  call_not_placed: {
    by: "limit",
    meaning: "The service did not call the number, because its trunk, the allow-list or a limit does not permit it.",
  },
  simulator_error: { by: "service", meaning: "The simulator failed. The result does not concern the agent." },
  orphaned: { by: "service", meaning: "The service stopped during every attempt to play the simulation." },
  stalled: {
    by: "service",
    meaning:
      "The service stalled during every attempt. The conversation says nothing about the agent and is not graded.",
  },
  no_caller_lines: {
    by: "service",
    meaning: "The scenario gives the scripted caller no line, so nothing was played and there is no verdict.",
  },
  connection_refused: {
    by: "outside",
    meaning: "Nothing answered at the connection's address, or its platform did not open a conversation.",
  },
  worker_missing: { by: "outside", meaning: "No worker of the agent took the call, so no agent joined the room." },
  worker_full: {
    by: "outside",
    meaning: "The agent's workers took calls shortly before, and none of them took this one.",
  },
  media_unreachable: {
    by: "outside",
    meaning:
      "The media server of the room could not be reached, the connection to it broke, or the sound packets of a call stopped.",
  },
  no_call: {
    by: "outside",
    meaning: "The simulation waited for a call of the agent, and no call came that it could take.",
  },
  busy: { by: "outside", meaning: "The line of the agent was busy." },
  call_rejected: { by: "outside", meaning: "The agent's side, or a platform before it, rejected the call." },
  unknown_address: { by: "outside", meaning: "The platform knows no such number or address." },
  rate_limited: { by: "outside", meaning: "The agent's endpoint kept reporting too many requests." },
  credential_rejected: { by: "outside", meaning: "The agent's endpoint rejected the connection's credential." },
  canceled: { by: "canceled", meaning: "A user canceled the run." },
} as const;

/** Reason why a simulation ended. */
export type EndingReason = keyof typeof ENDING_REASONS;

/** Names of all ending reasons. */
export const ENDING_REASON_NAMES = Object.keys(ENDING_REASONS) as [EndingReason, ...EndingReason[]];

/** Parties that can cause the end of a simulation. */
export const ENDING_PARTIES = ["agent", "caller", "limit", "service", "outside", "canceled"] as const;

/** Execution states of a run. The final states are `completed` and `canceled`. */
export const RUN_STATUSES = ["pending", "running", "completed", "canceled"] as const;
/** Execution state of a run. */
export type RunStatus = (typeof RUN_STATUSES)[number];

/**
 * Execution states of a simulation. `failed` means that the service could not play the simulation to its end. It does not mean the
 * verdict `failed`.
 */
export const SIMULATION_STATUSES = ["queued", "claimed", "running", "completed", "failed", "canceled"] as const;
/** Execution state of a simulation. */
export type SimulationStatus = (typeof SIMULATION_STATUSES)[number];
